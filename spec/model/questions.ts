import { calleeOf, type CallRef, callRef, depthOf, isAbove, isAnswerOf, type Ref, runOf, scriptOf, turnAt } from './ref.ts';
import { agentOf, diverge } from './kinship.ts';
import { once } from './once.ts';
import type { AgentTask, Call, Op, Scenario, SlotName, Task } from './scenario.ts';
import { type Origin, type Placed, type Saw, seen, type SeenAccount, type SeenUsage, type Trace } from './trace.ts';
import { sum, type Usage } from './usage.ts';

// Questions about a scenario

/** Every task of a scenario, depth first, each with the name it has when nothing recurses. */
export const tasksOf = once((scenario: Scenario): readonly { readonly ref: Ref; readonly task: Task }[] => {
  const below = (ref: Ref, task: Task): { ref: Ref; task: Task }[] => [{ ref, task }, ...childrenOf(ref, task).flatMap(([r, t]) => below(r, t))];
  return scenario.runs.flatMap((task, run) => below(`r${run}`, task));
});

/** The tasks right below a task, each with its name. */
export function childrenOf(ref: Ref, task: Task): readonly [Ref, Task][] {
  if (task.kind === 'loop') return Array.from({ length: task.times }, (_, i) => [`${ref}/#${i}`, task.parts[0] as Task]);
  if (task.kind !== 'agent') return task.parts.map((part, i) => [`${ref}/#${i}`, part]);
  return task.turns.flatMap((turn, t) => turn.flatMap((call, c): [Ref, Task][] => (call.kind === 'delegate' ? [[`${ref}/${t}.${c}`, call.task]] : [])));
}

/** The agents' tasks of a scenario. */
export const agentTasksOf = once((scenario: Scenario): readonly { readonly ref: Ref; readonly task: AgentTask }[] =>
  tasksOf(scenario).flatMap(({ ref, task }) => (task.kind === 'agent' ? [{ ref, task }] : [])),
);

/** Every call of a scenario, with its name. */
export const callsOf = once((scenario: Scenario): readonly { readonly name: CallRef; readonly by: Ref; readonly call: Call }[] =>
  agentTasksOf(scenario).flatMap(({ ref, task }) => task.turns.flatMap((turn, t) => turn.map((call, c) => ({ name: callRef(ref, t, c), by: ref, call })))),
);

/** The operations that probes of a scenario do, each with the depth of the agent that calls it. */
export const opsOf = once((scenario: Scenario): readonly { readonly op: Op; readonly by: Ref; readonly depth: number }[] =>
  callsOf(scenario).flatMap(({ by, call }) => (call.kind === 'probe' ? [{ op: call.op, by, depth: depthOf(by) }] : [])),
);

/** Tells whether some agent hands an ancestor's task on again, and so never ends by itself. */
export function recurses(scenario: Scenario): boolean {
  return callsOf(scenario).some(({ call }) => call.kind === 'recurse');
}

/** Tells whether the caller of some run aborts it. */
export const aborts = once((scenario: Scenario): boolean => scenario.abortAfter !== undefined || opsOf(scenario).some(({ op }) => op.kind === 'abort'));

/** Tells whether some agent's definition has limits of its own. */
export const hasOwnLimits = ({ agents }: Scenario): boolean => Object.values(agents ?? {}).some(({ limits }) => limits !== undefined);

/** Tells whether a limit of any kind may stop some agent. */
export const isLimited = once(({ limits, agents }: Scenario): boolean => limits !== undefined || Object.values(agents ?? {}).some((its) => its.limits ?? its.turns ?? its.timeout));

/** Tells whether some agent has only so many turns, or so much time. */
const isRationed = ({ agents }: Scenario): boolean => Object.values(agents ?? {}).some(({ turns, timeout }) => turns ?? timeout);

/** Tells whether every task of a scenario ends by itself with an answer of the usual kind, every call is a sound one, and nobody aborts. */
export const runsSmoothly = once(
  (scenario: Scenario): boolean =>
    !recurses(scenario) &&
    !aborts(scenario) &&
    !isRationed(scenario) &&
    tasksOf(scenario).every(({ task }) => isSmooth(task)) &&
    callsOf(scenario).every((call) => isSound(scenario, call)),
);

function isSmooth(task: Task): boolean {
  return task.kind === 'agent' ? task.ending === 'answer' && task.answer === undefined : task.throws === undefined;
}

/** A call that names a tool of its agent's, with arguments that fit, and that ends by itself. */
function isSound(scenario: Scenario, { by, call }: { readonly by: Ref; readonly call: Call }): boolean {
  return call.kind === 'recurse' || (call.malformed === undefined && (call.kind === 'delegate' || (call.op.kind !== 'hang' && !isOutOfReach(scenario, by, call))));
}

/** Tells whether a call names a tool that the agent who makes it does not have. */
export function isOutOfReach(scenario: Scenario, by: Ref, call: Call): boolean {
  if (call.kind !== 'probe') return false;
  const agent = agentOf(scenario, by) as string;
  return scenario.agents?.[agent]?.tools === 'none' || (call.of !== undefined && call.of !== agent);
}

// Questions about a trace

/** A probe call that was let through: where, with what host, what it did and found. `at` is where it acted. */
export interface ProbeCall {
  readonly call: CallRef;
  readonly task: Ref;
  readonly depth: number;
  readonly run: number;
  readonly host: Origin;
  readonly op: Op;
  readonly saw: Saw;
  readonly calledAt: number;
  readonly at: number;
}

/** Every probe call that was let through, in the order in which they acted. */
export const probeCalls = once((trace: Trace): readonly ProbeCall[] => {
  const called = new Map(seen(trace, 'probe-called').map((o) => [o.call, o]));
  return seen(trace, 'probe-acted').map(({ call, op, saw, at }) => {
    const task = authorOf(call);
    return { call, task, depth: depthOf(task), run: runOf(task), host: called.get(call)?.host ?? 'none', op, saw, calledAt: called.get(call)?.at ?? at, at };
  });
});

/** A read of a slot, and what was in it. */
export interface Read extends ProbeCall {
  readonly slot: SlotName;
  readonly entries: readonly CallRef[];
}

/** Every read of the given slots that found a scratchpad. */
export function readsOf(trace: Trace, ...slots: readonly SlotName[]): readonly Read[] {
  return probeCalls(trace).flatMap((probe) =>
    probe.op.kind === 'read' && slots.includes(probe.op.slot) && probe.saw.kind === 'entries' ? [{ ...probe, slot: probe.op.slot, entries: probe.saw.entries }] : [],
  );
}

/** Every entry that was written to a slot, in the order in which it was written. The entry is the call's name. */
export function appendsTo(trace: Trace, slot: SlotName): readonly ProbeCall[] {
  return probeCalls(trace).filter(({ op, saw }) => op.kind === 'append' && op.slot === slot && saw.kind === 'entries');
}

/** The activation that wrote an entry. */
export function authorOf(entry: CallRef): Ref {
  return entry.slice(0, entry.indexOf(':'));
}

/** A delegation that a model asked for, and what came of it. */
export interface Delegation {
  readonly call: CallRef;
  readonly by: Ref;
  readonly callee: Ref;
  readonly depth: number;
  /** Where the model asked for it. */
  readonly at: number;
  /** Where the sub-agent's model was first asked; `undefined` when it never was. */
  readonly startedAt: number | undefined;
  /** What the delegating model was told; `undefined` when it was told nothing. */
  readonly result: { readonly text: string; readonly at: number } | undefined;
  /** The sub-agent answered, and the answer arrived. */
  readonly answered: boolean;
  /** The delegating model was told something else than an answer, and the sub-agent's model was never asked. */
  readonly refused: boolean;
}

/** Every delegation that a model asked for with arguments that say what it wants, in order. */
export function delegationsOf(scenario: Scenario, trace: Trace): readonly Delegation[] {
  return delegationsIn(trace)(scenario);
}

const delegationsIn = once((trace: Trace) =>
  once((scenario: Scenario): readonly Delegation[] => {
    const results = new Map(seen(trace, 'model-asked').flatMap(({ results, at }) => results.map(({ call, text }) => [call, { text, at }] as const)));
    const starts = startsOf(trace);
    return seen(trace, 'model-replied').flatMap(({ task, turn, reply, at }) => {
      const script = scriptOf(scenario, task);
      if (reply !== 'calls' || script?.kind !== 'agent') return [];
      return (turnAt(script, turn) ?? []).flatMap((call, index): Delegation[] => {
        if (call.kind === 'probe' || (call.kind === 'delegate' && call.malformed)) return [];
        const name = callRef(task, turn, index);
        const callee = calleeOf(name);
        const result = results.get(name);
        const startedAt = starts.get(callee) ?? firstBelow(starts, callee);
        const answered = result !== undefined && answers(scenario, callee, result.text);
        return [{ call: name, by: task, callee, depth: depthOf(callee), at, startedAt, result, answered, refused: result !== undefined && !answered && startedAt === undefined }];
      });
    });
  }),
);

/** Tells whether a text is what an activation ends with. A composite ends with what its parts answered. */
function answers(scenario: Scenario, ref: Ref, text: string): boolean {
  const script = scriptOf(scenario, ref);
  return script?.kind === 'agent' ? isAnswerOf(text, ref) : childrenOf(ref, script as Task).some(([part]) => answers(scenario, part, text));
}

/** Where the model of each activation was first asked. */
export const startsOf = once((trace: Trace): ReadonlyMap<Ref, number> => {
  const starts = new Map<Ref, number>();
  for (const { task, at } of seen(trace, 'model-asked')) if (!starts.has(task)) starts.set(task, at);
  return starts;
});

function firstBelow(starts: ReadonlyMap<Ref, number>, ref: Ref): number | undefined {
  for (const [task, at] of starts) if (isAbove(ref, task)) return at;
  return undefined;
}

/** Tells whether two activations were under way at the same time, below the calls where they part. */
export function overlapped(trace: Trace, a: Ref, b: Ref): boolean {
  const [common, toA, toB] = diverge(a, b);
  const spanA = spanOf(trace, `${common}/${toA[0]}`);
  const spanB = spanOf(trace, `${common}/${toB[0]}`);
  return spanA !== undefined && spanB !== undefined && spanA[0] < spanB[1] && spanB[0] < spanA[1];
}

/** Where an activation, or anything below it, was first and last seen. */
export function spanOf(trace: Trace, ref: Ref): readonly [number, number] | undefined {
  const isThere = (place: Ref | undefined): boolean => place !== undefined && (place === ref || isAbove(ref, place));
  const first = placesOf(trace).findIndex(isThere);
  return first < 0 ? undefined : [first, placesOf(trace).findLastIndex(isThere)];
}

/** The activation that each observation is about, if any. */
const placesOf = once((trace: Trace): readonly (Ref | undefined)[] =>
  trace.map((o) => (o.kind === 'event' ? undefined : 'task' in o ? o.task : 'call' in o ? authorOf(o.call) : undefined)),
);

/** A sentence that a model was shown, and the activation that it is of. */
export interface Stranger {
  readonly text: string;
  /** What it names: an activation, or a call of it. */
  readonly name: Ref | CallRef;
  readonly ref: Ref;
}

/** What a model is shown that is of other tasks than its own, where the sentence names one. */
export function strangersIn({ strays }: { readonly strays: readonly string[] }): readonly Stranger[] {
  return strays.flatMap((text) => {
    const name = /\br\d(?:[\w/.#:]*\w)?/.exec(text)?.[0];
    return name === undefined ? [] : [{ text, name, ref: name.includes(':') ? authorOf(name) : name }];
  });
}

// Questions about usage

/** How each run ended. */
export function settlementsOf(trace: Trace): readonly Placed<'run-settled'>[] {
  return seen(trace, 'run-settled');
}

/** What was spent by one activation's own model calls. */
export function spentBy(trace: Trace, task: Ref): Usage {
  return sum(seen(trace, 'model-replied').flatMap((o) => (o.task === task && o.spent ? [o.spent] : [])));
}

/** What was spent by an activation and everything below it, up to some place in the trace. */
export function spentUnder(trace: Trace, task: Ref, before = Number.POSITIVE_INFINITY): Usage {
  return sum(seen(trace, 'model-replied').flatMap((o) => (o.at < before && o.spent && (o.task === task || isAbove(task, o.task)) ? [o.spent] : [])));
}

/** Compares a reported usage with what was spent: `less`, `more` or `equal` in both numbers, `other` if mixed or no numbers. */
export function compare(reported: SeenUsage, spent: Usage): 'less' | 'more' | 'equal' | 'other' {
  const { input, output } = reported;
  if (typeof input !== 'number' || typeof output !== 'number') return 'other';
  if (input === spent.input && output === spent.output) return 'equal';
  if (input <= spent.input && output <= spent.output) return 'less';
  return input >= spent.input && output >= spent.output ? 'more' : 'other';
}

/** Words a usage: `120 in, 34 out`. */
export function inWords(usage: SeenUsage | Usage | null): string {
  return usage === null ? 'nothing' : `${usage.input} in, ${usage.output} out`;
}

/** Every account below a run's own, however deep. */
export function accountsBelow(account: SeenAccount): readonly SeenAccount[] {
  return account.children.flatMap((child) => [child, ...accountsBelow(child)]);
}
