import type { RunInput } from '../../spec/model/ports.ts';

/** Remembers what a caller brings to a run. The answer tells what of it has been changed since. */
export function changesIn(input: RunInput): () => readonly string[] {
  const [bound, limits, keys] = [[...input.deps], JSON.stringify(input.limits), Object.keys(input).join()];
  return () => [
    ...(isSame(bound, [...input.deps]) ? [] : ['the dependencies']),
    ...(JSON.stringify(input.limits) === limits ? [] : ['the limits']),
    ...(Object.keys(input).join() === keys ? [] : ['what the run was given']),
  ];
}

type Bindings = readonly (readonly [key: string, value: unknown])[];

function isSame(before: Bindings, after: Bindings): boolean {
  return before.length === after.length && before.every(([key, value], index) => after[index]?.[0] === key && after[index]?.[1] === value);
}
