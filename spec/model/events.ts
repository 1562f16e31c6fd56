import { authorOf } from './questions.ts';
import { once } from './once.ts';
import { parentOf, type Ref, runOf } from './ref.ts';
import { type Placed, seen, type Trace } from './trace.ts';

/** An event, and the activation that it is about; `undefined` where that cannot be told. */
export type Told = Placed<'event'> & { readonly of: Ref | undefined };

/** A start that was told, and every end that was told of it. */
export interface Interval {
  readonly of: Ref | undefined;
  readonly start: Told;
  readonly ends: readonly Told[];
}

/** Every event, in order. One that several subscribers were told is there once. */
export const eventsOf = once((trace: Trace): readonly Told[] => {
  const starts = new Map<string, Ref | undefined>();
  return heardOnce(trace).map((event) => {
    const { type, id, toldTo, task, call } = event;
    const run = [`${toldTo} ${id}`, `${id}`];
    if (type === 'run-start') for (const key of run) starts.set(key, task ?? undefined);
    if (type === 'run-start' || type === 'run-end') return { ...event, of: starts.get(run[0] as string) ?? starts.get(run[1] as string) };
    return { ...event, of: call === null ? undefined : authorOf(call) };
  });
});

function heardOnce(trace: Trace): readonly Placed<'event'>[] {
  const told = new Map<string, number>();
  return seen(trace, 'event').filter(({ at: _, toldTo, ...event }) => {
    const key = JSON.stringify(event);
    const first = told.get(key) ?? toldTo;
    told.set(key, first);
    return first === toldTo;
  });
}

/** The run of the caller that an event belongs to. */
export function ownerOf({ of, toldTo }: Told): number {
  return of === undefined ? toldTo : runOf(of);
}

/** Every run that a start was told of, in the order of the starts. */
export const runsTold = once((trace: Trace): readonly Interval[] => intervals(trace, 'run', (event) => `${ownerOf(event)} ${event.id}`));

/** Every tool call that a start was told of, in the order of the starts. */
export const callsTold = once((trace: Trace): readonly Interval[] => intervals(trace, 'tool', ({ call }) => `${call}`));

/** Ends go with the earliest start of their name that has none, or else with the latest. */
function intervals(trace: Trace, what: 'run' | 'tool', nameOf: (event: Told) => string): readonly Interval[] {
  const found: (Interval & { readonly ends: Told[] })[] = [];
  const byName = new Map<string, (Interval & { readonly ends: Told[] })[]>();
  for (const event of eventsOf(trace)) {
    const known = byName.get(nameOf(event)) ?? [];
    if (event.type === `${what}-start`) {
      const interval = { of: event.of, start: event, ends: [] };
      found.push(interval);
      byName.set(nameOf(event), [...known, interval]);
    }
    if (event.type === `${what}-end`) (known.find(({ ends }) => ends.length === 0) ?? known.at(-1))?.ends.push(event);
  }
  return found;
}

/** The last run of an activation that was told to start before some place in the trace. */
export function runTold(trace: Trace, ref: Ref, before = Number.POSITIVE_INFINITY): Interval | undefined {
  return runsOfActivations(trace)
    .get(ref)
    ?.findLast(({ start }) => start.at < before);
}

const runsOfActivations = once((trace: Trace): ReadonlyMap<Ref | undefined, readonly Interval[]> => Map.groupBy(runsTold(trace), ({ of }) => of));

/** The activations above one, from its parent up to the first that has a run of its own: composites may have none. */
export function upToNearestRun(trace: Trace, ref: Ref, before: number): readonly Ref[] {
  const parent = parentOf(ref);
  if (parent === undefined) return [];
  return runTold(trace, parent, before) ? [parent] : [parent, ...upToNearestRun(trace, parent, before)];
}

/** The run of the nearest activation above one that has a run of its own. */
export function enclosingRun(trace: Trace, ref: Ref, before: number): Interval | undefined {
  const nearest = upToNearestRun(trace, ref, before).at(-1);
  return nearest === undefined ? undefined : runTold(trace, nearest, before);
}
