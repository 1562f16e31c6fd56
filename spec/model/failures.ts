import { once } from './once.ts';
import { childrenOf, settlementsOf, startsOf, tasksOf } from './questions.ts';
import { calleeOf, type CallRef, callRef, callTo, modelFlaw, parentOf, probeFlaw, promptFlaw, type Ref, runOf, scriptOf, turnAt } from './ref.ts';
import type { AgentTask, CompositeTask, Failure, Scenario, Task } from './scenario.ts';
import { type Placed, seen, type Trace } from './trace.ts';

/** A call that a model made and that failed: a tool that threw, or a sub-agent whose model did. */
export interface FailedCall {
  readonly call: CallRef;
  readonly by: Ref;
  readonly turn: number;
  readonly of: 'tool' | 'sub-agent';
  readonly how: Failure;
  /** The words of what was thrown; it has none when that is undefined. */
  readonly cause: string;
  /** Where it failed. */
  readonly at: number;
}

/** Every call that failed, in the order in which they failed. */
export function failedCallsOf(scenario: Scenario, trace: Trace): readonly FailedCall[] {
  return failedCallsIn(trace)(scenario);
}

const failedCallsIn = once((trace: Trace) =>
  once((scenario: Scenario): readonly FailedCall[] =>
    trace.flatMap((o): FailedCall[] => {
      if (o.kind === 'probe-acted' && o.op.kind === 'fail') return [{ ...madeIn(o.call), of: 'tool', how: o.op.how ?? 'error', cause: probeFlaw(o.call), at: o.at }];
      if (o.kind !== 'model-replied' || o.reply !== 'failure') return [];
      const [call, script] = [callTo(o.task), scriptOf(scenario, o.task)];
      if (call === undefined || script?.kind !== 'agent') return [];
      return [{ ...madeIn(call), of: 'sub-agent', how: script.failure ?? 'error', cause: modelFlaw(o.task), at: o.at }];
    }),
  ),
);

function madeIn(call: CallRef): Pick<FailedCall, 'call' | 'by' | 'turn'> {
  const [by, place] = call.split(':') as [Ref, string];
  return { call, by, turn: Number.parseInt(place, 10) };
}

/** The first time that a model was asked for a turn; `undefined` when it never was. */
function askedFor(trace: Trace, task: Ref, turn: number): Placed<'model-asked'> | undefined {
  return asksOf(trace).get(`${task} ${turn}`);
}

const asksOf = once((trace: Trace) => {
  const asks = new Map<string, Placed<'model-asked'>>();
  for (const asked of seen(trace, 'model-asked')) if (!asks.has(`${asked.task} ${asked.turn}`)) asks.set(`${asked.task} ${asked.turn}`, asked);
  return asks;
});

/** What an agent was told of a call when it was asked for its next turn. */
export interface Told {
  readonly at: number;
  /** `undefined` when there was no word of that call. */
  readonly text: string | undefined;
}

/** What whoever made a call was told of it; `undefined` when it was not asked again. */
export function toldOf(trace: Trace, call: CallRef): Told | undefined {
  const { by, turn } = madeIn(call);
  const asked = askedFor(trace, by, turn + 1);
  return asked && { at: asked.at, text: asked.results.find((result) => result.call === call)?.text };
}

/** Where the model of each activation ended it, and how: it answered or failed for good. */
export const endingsOf = once((trace: Trace): ReadonlyMap<Ref, Placed<'model-replied'>> => {
  const endings = new Map<Ref, Placed<'model-replied'>>();
  for (const replied of seen(trace, 'model-replied')) if (replied.reply !== 'calls') endings.set(replied.task, replied);
  return endings;
});

/** A call that a model made, with what it is a call of. */
export interface MadeCall {
  readonly call: CallRef;
  readonly by: Ref;
  readonly turn: number;
  /** What the sub-agent or composite that it leads to has to do; `undefined` for a tool. */
  readonly script: Task | undefined;
  readonly malformed: boolean;
  readonly at: number;
}

/** Every call that a model made, in order. */
export function madeCallsOf(scenario: Scenario, trace: Trace): readonly MadeCall[] {
  return seen(trace, 'model-replied').flatMap(({ task, turn, reply, at }) => {
    const script = scriptOf(scenario, task);
    if (reply !== 'calls' || script?.kind !== 'agent') return [];
    return (turnAt(script, turn) ?? []).map((made, index): MadeCall => {
      const call = callRef(task, turn, index);
      return { call, by: task, turn, at, script: scriptOf(scenario, calleeOf(call)), malformed: made.kind !== 'recurse' && made.malformed !== undefined };
    });
  });
}

/** Tells whether a text says nothing, whatever quotes are around it. */
export function saysNothing(text: string): boolean {
  return /^["'\s]*(?:|null|undefined|\{\}|\[\])["'\s]*$/.test(text);
}

/** The words of everything that goes wrong in the parts of a composite, however composites lie in each other. */
export function causesWithin(ref: Ref, task: CompositeTask): readonly string[] {
  const ofParts = childrenOf(ref, task).flatMap(([part, script]) => {
    if (script.kind !== 'agent') return causesWithin(part, script);
    return script.ending === 'fail' ? [modelFlaw(part)] : [];
  });
  return throwsAPrompt(task) ? [promptFlaw(`${ref}/#${task.throws}`), ...ofParts] : ofParts;
}

/** Tells whether the prompt of one of its parts cannot be made. */
export function throwsAPrompt({ throws, parts, times, kind }: CompositeTask): boolean {
  return throws !== undefined && throws < (kind === 'loop' ? times : parts.length);
}

/** An agent that ended, and what came of that: for a root how its run ended, else what the agent that asked was told. */
export interface Outcome {
  readonly task: Ref;
  readonly script: AgentTask;
  readonly at: number;
  readonly told?: string | undefined;
  readonly settled?: Placed<'run-settled'>;
}

/** What came of each agent that was run or delegated to and of which there is something to tell. */
export function outcomesOf(scenario: Scenario, trace: Trace): readonly Outcome[] {
  return [...startsOf(trace).keys()].flatMap((task): Outcome[] => {
    const script = scriptOf(scenario, task);
    if (script?.kind !== 'agent') return [];
    if (parentOf(task) === undefined) return settlementsOf(trace).flatMap((settled) => (settled.run === runOf(task) ? [{ task, script, at: settled.at, settled }] : []));
    const call = callTo(task);
    const told = call && toldOf(trace, call);
    return told ? [{ task, script, at: told.at, told: told.text }] : [];
  });
}

/** The composites that are run or delegated to, and so tell somebody what came of them. */
export const outermost = (scenario: Scenario): readonly { readonly ref: Ref; readonly task: CompositeTask }[] =>
  tasksOf(scenario).flatMap(({ ref, task }) => (task.kind === 'agent' || !(callTo(ref) ?? parentOf(ref) === undefined) ? [] : [{ ref, task }]));

/** Tells whether a composite, or one in it, is of some kind. */
export const hasWithin = (task: CompositeTask, fits: (task: CompositeTask) => boolean): boolean =>
  fits(task) || task.parts.some((part) => part.kind !== 'agent' && hasWithin(part, fits));

/** The outermost composites that are over, and the text that tells of it. */
export const endedComposites = (scenario: Scenario, trace: Trace) =>
  outermost(scenario).flatMap(({ ref, task }) => {
    const call = callTo(ref);
    if (call === undefined) return settlementsOf(trace).flatMap(({ run, at, text, error }) => (run === runOf(ref) ? [{ ref, task, at, text: `${text} ${error ?? ''}` }] : []));
    const told = toldOf(trace, call);
    return told ? [{ ref, task, at: told.at, text: told.text ?? '' }] : [];
  });

/** A part that was never started although nothing was wrong with it. The parts of a fan-out share what makes their prompts. */
export function unstarted(trace: Trace, ref: Ref, task: CompositeTask): Ref | undefined {
  if (task.kind === 'loop' || (task.kind === 'fanout' && throwsAPrompt(task))) return undefined;
  const due = childrenOf(ref, task).filter(([, part], index) => part.kind === 'agent' && index !== task.throws);
  return due.map(([part]) => part).find((part) => !startsOf(trace).has(part));
}
