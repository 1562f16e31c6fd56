import { randomUUID } from 'node:crypto';
import { ALL_CAPABILITIES } from '../../spec/model/capability.ts';
import type { Adapter, RunInput, RunOutcome } from '../../spec/model/ports.ts';
import { handle } from './second/interpreter.ts';
import { activate } from './second/limits.ts';
import { ROOT, type Run } from './second/run.ts';
import { heedCaller } from './second/stops.ts';

/**
 * A second runtime that keeps the whole specification, built as unlike the reference as can be: an interpreter that works
 * off a queue of events. A run is plain data in flat tables: who was activated, who called what, who wrote what, what was
 * spent, what was stopped. Nothing is handed down or given back; what a place in the tree may see, how deep it is, on which
 * runner it is, what it is told as and what it cost, follows from its path.
 */
const second = runtime({ tellsOfComposites: false });
export default second;

/** The same, but to whoever listens composites are runs as well. */
export const tellingOfComposites = runtime({ tellsOfComposites: true });

function runtime(ways: Pick<Run, 'tellsOfComposites'>): Adapter {
  const delegation: Adapter['delegation'] = (team, kit) => (input) => new Promise((settle) => begin({ ...blank(input, settle), ...ways, team, kit }));
  return { name: 'second', version: '1.0.0', capabilities: ALL_CAPABILITIES, delegation };
}

function begin(run: Run): void {
  heedCaller(run);
  activate(run, ROOT, run.team.root, run.prompt);
}

/** A run of which nothing is known yet. */
function blank(input: RunInput, settle: (outcome: RunOutcome) => void): Omit<Run, 'team' | 'kit' | 'tellsOfComposites'> {
  const tables = { activations: new Map(), calls: new Map(), underWay: new Map(), timers: new Map(), stops: [], writes: [], spendings: [], sayings: [] };
  return { ...input, ...tables, id: randomUUID(), queue: [], handle, settle };
}
