import { once } from './once.ts';
import { settlementsOf } from './questions.ts';
import { agentOf } from './kinship.ts';
import { ancestorsOf, callAt, callTo, parseCallRef, type Ref, runOf, scriptOf, turnAt } from './ref.ts';
import type { Scenario } from './scenario.ts';
import { type Observation, type Placed, seen, type Trace } from './trace.ts';

/** A call of a model or of a tool, from when it began to when it ended, if it did. */
export interface Work {
  /** The name of a tool's call; of a model's turn, words for it. */
  readonly name: string;
  readonly of: 'model' | 'tool';
  /** The activation that it is for. */
  readonly task: Ref;
  readonly turn: number;
  /** Where it began. */
  readonly at: number;
  readonly end: { readonly at: number; readonly stopped: boolean } | undefined;
}

/** Every call of a model and of a tool, in the order in which they began. */
export const workOf = once((trace: Trace): readonly Work[] => {
  const ends = Map.groupBy(
    trace.filter(({ kind }) => END.has(kind)),
    nameOf,
  );
  return trace.flatMap((o): Work[] => {
    if (o.kind !== 'model-asked' && o.kind !== 'probe-called') return [];
    const end = ends.get(nameOf(o))?.find(({ at }) => at > o.at);
    const { ref: task, turn } = o.kind === 'model-asked' ? { ref: o.task, turn: o.turn } : (parseCallRef(o.call) ?? { ref: '', turn: 0 });
    return [{ name: nameOf(o), of: o.kind === 'model-asked' ? 'model' : 'tool', task, turn, at: o.at, end: end && { at: end.at, stopped: STOP.has(end.kind) } }];
  });
});

const STOP: ReadonlySet<Observation['kind']> = new Set(['model-stopped', 'probe-stopped']);
const END: ReadonlySet<Observation['kind']> = new Set([...STOP, 'model-replied', 'probe-acted']);

function nameOf(o: Observation): string {
  if ('turn' in o) return `turn ${o.turn} of ${o.task}`;
  return 'call' in o ? (o.call ?? '') : '';
}

/** Tells whether work was under way somewhere in a trace. */
export function isUnderWay({ at, end }: Work, place: number): boolean {
  return at < place && (end === undefined || end.at > place);
}

/** Tells whether work takes until it is let through or stopped. A model's turn that does not is over before anybody could stop it. */
function isHeld(scenario: Scenario, work: Work): boolean {
  return work.of === 'tool' || scenario.modelsWait === true || isEndless(scenario, work);
}

/** Tells whether work never ends by itself. */
export function isEndless(scenario: Scenario, { of, name, task, turn }: Work): boolean {
  if (of === 'tool') {
    const call = callAt(scenario, name);
    return call?.kind === 'probe' && call.op.kind === 'hang';
  }
  const script = scriptOf(scenario, task);
  return script?.kind === 'agent' && script.ending === 'hang' && turnAt(script, turn) === undefined;
}

/** What the caller's abort of a run met with, and what came of the run. */
export interface Abort {
  readonly run: number;
  readonly at: number;
  readonly settled: Placed<'run-settled'> | undefined;
}

/** Every abort of a run that was not over. */
export function abortsOf(trace: Trace): readonly Abort[] {
  return seen(trace, 'run-aborted').flatMap(({ run, at }) => {
    const settled = settlementsOf(trace).find((its) => its.run === run);
    return settled && settled.at < at ? [] : [{ run, at, settled }];
  });
}

/** The work that an abort met, placed at the abort. */
export interface Met {
  readonly at: number;
  readonly work: Work;
  readonly abort: Abort;
}

/** All work that was under way in a run when its caller aborted it. */
export function metBy(scenario: Scenario, trace: Trace): readonly Met[] {
  return abortsOf(trace).flatMap((abort) =>
    workOf(trace).flatMap((work) => (runOf(work.task) === abort.run && isUnderWay(work, abort.at) && isHeld(scenario, work) ? [{ at: abort.at, work, abort }] : [])),
  );
}

/** The sub-agents with a time limit that some work is done for, outermost first. */
export function timedAround(scenario: Scenario, { task }: Work): readonly Ref[] {
  return [...ancestorsOf(task), task].filter((ref) => callTo(ref) !== undefined && scenario.agents?.[agentOf(scenario, ref) ?? '']?.timeout !== undefined);
}

/** The work that was stopped each time that time had passed, and before it did again. On a clock of its own, a runtime stops each by itself. */
export function stoppedByTime(trace: Trace): readonly { readonly at: number; readonly stopped: readonly Work[] }[] {
  const passed = seen(trace, 'time-passed').map(({ at }) => at);
  if (passed.length === 0) return workOf(trace).flatMap((work) => (work.end?.stopped ? [{ at: work.end.at, stopped: [work] }] : []));
  return passed.map((at, index) => {
    const next = passed[index + 1] ?? Number.POSITIVE_INFINITY;
    return { at, stopped: workOf(trace).filter(({ end }) => end?.stopped && end.at > at && end.at < next) };
  });
}
