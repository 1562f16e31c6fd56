import type { CompositeSpec } from '../../../spec/model/ports.ts';
import { activate } from './limits.ts';
import { answered, attempt, end } from './outcome.ts';
import { type Activation, compositeAt, type Part, type Path, type Run } from './run.ts';
import { branchOf, forks, mergeBranch } from './state.ts';

/** Starts the parts of a composite: all of them, or the first. */
export function startParts(run: Run, path: Path): void {
  const activation = run.activations.get(path) as Activation;
  const start = (parts: readonly Part[]): void => {
    activation.parts = parts;
    activation.outcomes = parts.map(() => undefined);
    for (const index of goesInOrder(run, path) ? [0] : parts.keys()) startPart(run, path, index);
  };
  attempt(run, path, () => partsOf(compositeAt(run, path) as CompositeSpec, activation.prompt), start);
}

function partsOf(spec: CompositeSpec, input: string): readonly Part[] {
  if (spec.kind === 'fanout') return spec.items(input).map((prompt) => ({ node: spec.part, prompt: () => prompt }));
  const nodes = spec.kind === 'loop' ? Array<string>(spec.times).fill(spec.part) : spec.parts;
  return nodes.map((node, index) => ({ node, prompt: () => spec.prompt(input, index) }));
}

/** Starts one part. That its prompt cannot be made is a failure of that part. */
export function startPart(run: Run, path: Path, index: number): void {
  const { parts } = run.activations.get(path) as Activation;
  const { node, prompt } = parts[index] as Part;
  const place = `${path}/0.${index}`;
  attempt(run, place, prompt, (made) => activate(run, place, node, made));
}

/** Tells whether parts come one after the other: the next when the one before is over, however that ended. */
export function goesInOrder(run: Run, path: Path): boolean {
  const spec = compositeAt(run, path);
  return spec !== undefined && !forks(spec);
}

/** All parts are over, so their branches merge in the order of the parts, whichever ended first, and however. */
export function endComposite(run: Run, path: Path): void {
  const { outcomes } = run.activations.get(path) as Activation;
  if (!goesInOrder(run, path)) for (const index of outcomes.keys()) mergeBranch(run, `${path}/0.${index}`, branchOf(run, path));
  end(run, path, answered(outcomes.map((outcome) => outcome?.text).join('\n')));
}
