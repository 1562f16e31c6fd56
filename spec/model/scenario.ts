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

const op = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('pass') }),
  z.object({ kind: z.literal('append'), slot: z.enum(['log', 'draft', 'notes']) }),
  z.object({ kind: z.literal('read'), slot: z.enum(['log', 'draft', 'notes']) }),
  z.object({ kind: z.literal('dep'), key: z.enum(DEPENDENCIES) }),
  z.object({ kind: z.literal('fail') }),
  z.object({ kind: z.literal('abort') }),
]);

/** What one probe call does once it is let through. `abort` aborts the run from outside, as its caller would. */
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

/** One tool call of a model turn. `recurse` hands an ancestor's task on again: `up: 1` is one's own, `up: 2` the delegator's. */
export type Call = { readonly kind: 'probe'; readonly op: Op } | { readonly kind: 'delegate'; readonly task: Task } | { readonly kind: 'recurse'; readonly up: number };

/** The tool calls that a model makes in one turn. */
export type Turn = readonly Call[];

/** An agent's task: its model's turns, then how it ends. `forever` starts over instead of ending, until a call does not go well. */
export interface AgentTask {
  readonly kind: 'agent';
  readonly agent: string;
  readonly turns: readonly Turn[];
  readonly ending: 'answer' | 'fail' | 'forever';
  readonly usage: UsageKind;
}

/** A composite's task: its parts in order. A loop has one part and runs it `times` times. */
export interface CompositeTask {
  readonly kind: 'sequence' | 'parallel' | 'fanout' | 'loop';
  readonly parts: readonly Task[];
  readonly times: number;
}

export type Task = AgentTask | CompositeTask;

const call: z.ZodType<Call> = z.lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('probe'), op }),
    z.object({ kind: z.literal('delegate'), task }),
    z.object({ kind: z.literal('recurse'), up: z.int().positive() }),
  ]),
);

const task: z.ZodType<Task> = z.lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('agent'),
      agent: z.string().min(1),
      turns: z.array(z.array(call)),
      ending: z.enum(['answer', 'fail', 'forever']),
      usage: z.enum(USAGE_KINDS),
    }),
    z.object({
      kind: z.enum(['sequence', 'parallel', 'fanout', 'loop']),
      parts: z.array(task).min(1),
      times: z.int().positive(),
    }),
  ]),
);

/** The schema of a scenario, as it stands in replay tokens and certificates. */
export const scenarioSchema = z.object({
  runs: z.array(task).min(1),
  host: z.enum(HOST_KINDS),
  built: z.boolean(),
  limits: limits.optional(),
  agentLimits: z.record(z.string(), limits).optional(),
  schedule: z.array(z.int().nonnegative()),
});

/**
 * One case: a team built once and run once per entry of `runs`, all at the same time.
 * - `built`: whether a host value and dependencies were already there when the team was built.
 * - `agentLimits`: limits that an agent's own definition carries.
 * - `schedule`: which of the waiting probe calls goes next, each modulo how many wait; 0 (the longest waiting) when exhausted.
 */
export interface Scenario {
  readonly runs: readonly Task[];
  readonly host: HostKind;
  readonly built: boolean;
  readonly limits?: Limits | undefined;
  readonly agentLimits?: Readonly<Record<string, Limits>> | undefined;
  readonly schedule: readonly number[];
}
