import { sum, type Usage, type UsageReport } from '../../../spec/model/usage.ts';
import { above, isWithin, type Path, type Run } from './run.ts';

/** Nothing is ever added up on the way: an account is read off the list of what was spent, and where. */
export function account(run: Run, path: Path): UsageReport & { readonly prompt: string } {
  const spent = (fits: (place: Path) => boolean): Usage => sum(run.spendings.filter((spending) => fits(spending.path)).map(({ usage }) => usage));
  return {
    prompt: run.activations.get(path)?.prompt ?? run.prompt,
    own: spent((place) => place === path),
    total: spent((place) => isWithin(place, path)),
    children: [...run.activations.keys()].filter((place) => above(place) === path).map((place) => account(run, place)),
  };
}
