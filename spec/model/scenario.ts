import { z } from 'zod';

/**
 * A scenario is a small program of delegations, as data: who delegates what to whom, what each tool call does, what
 * goes wrong, and in which order waiting tool calls are let through. A scripted model acts it out, turn by turn.
 */

/** The state that probes work on. Every slot holds a list of entries; an entry is the name of the call that wrote it. */
export const SLOTS = {
  log: { key: 'log', scope: 'run', merge: false },
  draft: { key: 'draft', scope: 'branch', merge: false },
  notes: { key: 'notes', scope: 'branch', merge: true },
} as const;

export type SlotName = keyof typeof SLOTS;

/** The dependencies that probes ask for. `clock` is bound, `nothing` is bound to undefined, `absent` is not bound. */
export const DEPENDENCIES = ['clock', 'nothing', 'absent'] as const;
export type DependencyName = (typeof DEPENDENCIES)[number];

/** The names of agents, in the order in which a scenario needs them. A few are enough; that they repeat is the point. */
export const AGENTS = ['planner', 'writer', 'critic', 'scout'] as const;

/** What kind of value the caller hands to a run. `tripwire` is a proxy that records whoever looks inside. */
export const HOST_KINDS = ['record', 'frozen', 'function', 'symbol', 'tripwire', 'none'] as const;
export type HostKind = (typeof HOST_KINDS)[number];

/** What something that fails throws: an error, a string, undefined, or an error that looks like an abort and is none. */
export const FAILURES = ['error', 'string', 'nothing', 'abort-shaped'] as const;
export type Failure = (typeof FAILURES)[number];

/** The runners that a scenario may name. `plain` has no structured output. */
export const RUNNERS = ['blue', 'green', 'plain'] as const;
export type RunnerName = (typeof RUNNERS)[number];

const op = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('pass') }),
  z.object({ kind: z.literal('append'), slot: z.enum(['log', 'draft', 'notes']) }),
  z.object({ kind: z.literal('read'), slot: z.enum(['log', 'draft', 'notes']) }),
  z.object({ kind: z.literal('dep'), key: z.enum(DEPENDENCIES) }),
  z.object({ kind: z.literal('fail'), how: z.enum(FAILURES).optional() }),
  z.object({ kind: z.literal('abort') }),
  z.object({ kind: z.literal('hang') }),
]);

/**
 * What one probe call does once it is let through. `abort` aborts the run from outside, as its caller would; `hang` is
 * never let through, and ends only when its signal is aborted.
 */
export type Op = z.infer<typeof op>;

const limits = z.object({
  depth: z.int().positive().optional(),
  visits: z.int().positive().optional(),
  steps: z.int().positive().optional(),
});

/**
 * Limits on delegation, each counted apart.
 * - `depth`: delegations between the root (depth 0) and an agent. A call that would go deeper is refused.
 * - `visits`: how often one agent may be activated in a run, the root included.
 * - `steps`: how many activations a whole run may have, the root included.
 */
export type Limits = z.infer<typeof limits>;

/** How the usage that a model reports for a task's turns is spoilt, if it is. */
export const USAGE_KINDS = ['sound', 'nan', 'infinite', 'negative', 'text'] as const;
export type UsageKind = (typeof USAGE_KINDS)[number];

/** How a model gets the arguments of a call wrong: what it writes is not JSON, or does not fit the tool's schema. */
export const MALFORMATIONS = ['not-json', 'unfit'] as const;
export type Malformation = (typeof MALFORMATIONS)[number];

/**
 * One tool call of a model turn. `recurse` hands an ancestor's task on again: `up: 1` is one's own, `up: 2` the delegator's.
 * - `of`: the probe that is called is the private tool of that agent, which another agent does not have.
 * - `malformed`: the arguments are wrong, so nothing comes of the call.
 */
export type Call =
  | { readonly kind: 'probe'; readonly op: Op; readonly of?: string | undefined; readonly malformed?: Malformation | undefined }
  | { readonly kind: 'delegate'; readonly task: Task; readonly malformed?: Malformation | undefined }
  | { readonly kind: 'recurse'; readonly up: number };

/** The tool calls that a model makes in one turn. */
export type Turn = readonly Call[];

/** Answers that are out of the ordinary: no text at all, a great deal of it, or none that fits the agent's schema. */
export const ODD_ANSWERS = ['empty', 'huge', 'unfit'] as const;
export type OddAnswer = (typeof ODD_ANSWERS)[number];

/**
 * An agent's task: its model's turns, then how it ends. `forever` starts over instead of ending, until a call does not go
 * well; `hang` never ends by itself, only when the signal of its model call is aborted.
 * - `answer`: what is odd about the answer, if anything.
 * - `failure`: what a model that fails throws; an error when absent.
 */
export interface AgentTask {
  readonly kind: 'agent';
  readonly agent: string;
  readonly turns: readonly Turn[];
  readonly ending: 'answer' | 'fail' | 'forever' | 'hang';
  readonly usage: UsageKind;
  readonly answer?: OddAnswer | undefined;
  readonly failure?: Failure | undefined;
}

/**
 * A composite's task: its parts in order. A loop has one part and runs it `times` times.
 * - `runner`: everything in it is to run on that runner.
 * - `throws`: the function that makes the prompt of the part at that index throws.
 */
export interface CompositeTask {
  readonly kind: 'sequence' | 'parallel' | 'fanout' | 'loop';
  readonly parts: readonly Task[];
  readonly times: number;
  readonly runner?: RunnerName | undefined;
  readonly throws?: number | undefined;
}

export type Task = AgentTask | CompositeTask;

const call: z.ZodType<Call> = z.lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('probe'), op, of: z.string().optional(), malformed: z.enum(MALFORMATIONS).optional() }),
    z.object({ kind: z.literal('delegate'), task, malformed: z.enum(MALFORMATIONS).optional() }),
    z.object({ kind: z.literal('recurse'), up: z.int().positive() }),
  ]),
);

const task: z.ZodType<Task> = z.lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('agent'),
      agent: z.string().min(1),
      turns: z.array(z.array(call)),
      ending: z.enum(['answer', 'fail', 'forever', 'hang']),
      usage: z.enum(USAGE_KINDS),
      answer: z.enum(ODD_ANSWERS).optional(),
      failure: z.enum(FAILURES).optional(),
    }),
    z.object({
      kind: z.enum(['sequence', 'parallel', 'fanout', 'loop']),
      parts: z.array(task).min(1),
      times: z.int().positive(),
      runner: z.enum(RUNNERS).optional(),
      throws: z.int().nonnegative().optional(),
    }),
  ]),
);

const agentSettings = z.object({
  limits: limits.optional(),
  turns: z.int().positive().optional(),
  timeout: z.int().positive().optional(),
  tools: z.literal('none').optional(),
  output: z.literal('structured').optional(),
  runner: z.enum(RUNNERS).optional(),
  model: z.literal('override').optional(),
});

/**
 * What an agent's definition says besides its name, instructions and delegates.
 * - `limits`: limits of its own, which narrow those that it inherits.
 * - `turns`: how many turns its model may take to come to an answer.
 * - `timeout`: how long it may take when it is delegated to, in milliseconds.
 * - `tools`: `none` when it has no tool besides its delegates.
 * - `output`: its answer has to fit a schema.
 * - `runner`: it is to run on that runner.
 * - `model`: it is to run on another model than the one of its definition.
 */
export type AgentSettings = z.infer<typeof agentSettings>;

/** The schema of a scenario, as it stands in replay tokens and certificates. */
export const scenarioSchema = z.object({
  runs: z.array(task).min(1),
  host: z.enum(HOST_KINDS),
  built: z.boolean(),
  limits: limits.optional(),
  agents: z.record(z.string(), agentSettings).optional(),
  schedule: z.array(z.int().nonnegative()),
  inTurn: z.literal(true).optional(),
  streamed: z.array(z.int().nonnegative()).optional(),
  modelsWait: z.literal(true).optional(),
  abortAfter: z.int().nonnegative().optional(),
  subscriber: z.literal('throws').optional(),
});

/**
 * One case: a team built once and run once per entry of `runs`, all at the same time.
 * - `built`: whether a host value and dependencies were already there when the team was built.
 * - `agents`: what the definitions of agents say, by name.
 * - `schedule`: which of the waiting calls goes next, each modulo how many wait; 0 (the longest waiting) when exhausted.
 * - `inTurn`: the runs go one after the other instead.
 * - `streamed`: the indices of the runs whose caller asks for a stream.
 * - `modelsWait`: calls of models wait to be let through, too, as those of probes do.
 * - `abortAfter`: the caller aborts the first run when so many calls were let through and nothing moves; 0 is before it begins.
 * - `subscriber`: whoever listens to the events of a run throws at each.
 */
export interface Scenario {
  readonly runs: readonly Task[];
  readonly host: HostKind;
  readonly built: boolean;
  readonly limits?: Limits | undefined;
  readonly agents?: Readonly<Record<string, AgentSettings>> | undefined;
  readonly schedule: readonly number[];
  readonly inTurn?: true | undefined;
  readonly streamed?: readonly number[] | undefined;
  readonly modelsWait?: true | undefined;
  readonly abortAfter?: number | undefined;
  readonly subscriber?: 'throws' | undefined;
}
