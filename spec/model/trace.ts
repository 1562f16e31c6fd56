import { once } from './once.ts';
import type { CallRef, Ref } from './ref.ts';
import type { Op } from './scenario.ts';
import type { Usage } from './usage.ts';

/**
 * What the kit's own instruments saw, in logical order. There is no clock in it, and nothing that a runtime says of
 * itself, except what it is judged on: its answer, its error and the usage that it reports.
 */
export type Trace = readonly Placed[];

/** Whose value an instrument was handed: the run's own, another run's, the one from building time, a different one, or none. */
export type Origin = 'own' | 'other-run' | 'built' | 'foreign' | 'none';

/** The result of a tool call, as the model is shown it on its next turn. */
export interface CallResult {
  readonly call: CallRef;
  readonly text: string;
}

/** Numbers as reported, each spelt out when JSON has no word for it (`"NaN"`). `null` when absent. */
export interface SeenUsage {
  readonly input: number | string | null;
  readonly output: number | string | null;
}

/** A runtime's account of one activation. `task` is null when its prompt names none. */
export interface SeenAccount {
  readonly task: Ref | null;
  readonly own: SeenUsage | null;
  readonly total: SeenUsage | null;
  readonly children: readonly SeenAccount[];
}

/** What a probe found when it acted. */
export type Saw =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'entries'; readonly entries: readonly string[] }
  | { readonly kind: 'dependency'; readonly origin: Origin }
  | { readonly kind: 'no-scratchpad' }
  | { readonly kind: 'no-dependencies' }
  | { readonly kind: 'error'; readonly message: string };

/** What a model is shown and offered when it is asked for a turn. */
export interface Asked {
  readonly task: Ref;
  readonly turn: number;
  /** The results of the calls of the turn before, in the order in which they are shown. */
  readonly results: readonly CallResult[];
  /** How many results of the turns before that are still shown. */
  readonly earlier: number;
  /** What is shown that belongs to another task: its prompt, its answer, its instructions, the result of one of its calls. */
  readonly strays: readonly string[];
  /** Whether the agent's own instructions are among what is shown. */
  readonly instructed: boolean;
  /** The names of the tools that are offered; null when the runtime does not say. */
  readonly offered: readonly string[] | null;
  /** The runner that asks, by the name that a scenario has for it; null for the one that nobody named. */
  readonly runner: string | null;
  /** Whether it is the model of the agent's definition or the one that overrides it. */
  readonly model: 'own' | 'override';
  /** Whether an answer is asked for as text or as JSON. */
  readonly format: 'text' | 'json';
}

/** An event as a runtime tells it, with every id replaced by a short name in the order in which ids were first seen. */
export interface SeenEvent {
  readonly type: 'run-start' | 'run-end' | 'tool-start' | 'tool-end';
  /** The run of the caller whose subscriber was told. */
  readonly toldTo: number;
  readonly id: string | null;
  readonly root: string | null;
  readonly parent: string | null;
  /** Of a run: the tool call that made it. Of a tool call: its name. */
  readonly call: CallRef | null;
  readonly trace: string | null;
  readonly span: string | null;
  readonly parentSpan: string | null;
  readonly depth: number | null;
  /** The activation that a run is of, by its prompt. */
  readonly task: Ref | null;
  /** How it ended, where it did. */
  readonly status: 'completed' | 'failed' | 'cancelled' | null;
}

/** How a run ended, as the runtime says. */
export interface Settled {
  readonly run: number;
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly text: string;
  /** What was streamed, put together; null when nothing was. */
  readonly streamed: string | null;
  /** The message of the error, and of all that caused it; null without an error. */
  readonly error: string | null;
  /** Whether the error is, or was caused by, the very reason that the caller aborted with. */
  readonly keepsReason: boolean;
  readonly usage: SeenAccount | null;
}

export type Observation =
  /** A run of the team begins. */
  | { readonly kind: 'run-started'; readonly run: number }
  /** The model is asked for a turn. */
  | ({ readonly kind: 'model-asked' } & Asked)
  /** The model replies. `spent` is null when the usage it reports is spoilt. */
  | { readonly kind: 'model-replied'; readonly task: Ref; readonly turn: number; readonly reply: 'calls' | 'answer' | 'failure'; readonly spent: Usage | null }
  /** The signal of a model call that is under way is aborted, and the call ends. */
  | { readonly kind: 'model-stopped'; readonly task: Ref; readonly turn: number }
  /** The arguments of a call are parsed by the schema of its tool. */
  | { readonly kind: 'arguments-parsed'; readonly call: CallRef }
  /** A probe is called, and waits to be let through. `owner` is the agent whose tool it is. */
  | { readonly kind: 'probe-called'; readonly call: CallRef; readonly host: Origin; readonly owner: string }
  /** A probe is let through and does its operation. */
  | { readonly kind: 'probe-acted'; readonly call: CallRef; readonly op: Op; readonly saw: Saw }
  /** The signal of a probe that waits is aborted, and the call ends. */
  | { readonly kind: 'probe-stopped'; readonly call: CallRef }
  /** The caller aborts a run. */
  | { readonly kind: 'run-aborted'; readonly run: number }
  /** Nothing moves but a clock: time passes until something is due. */
  | { readonly kind: 'time-passed' }
  /** The runtime tells a subscriber of an event. */
  | ({ readonly kind: 'event' } & SeenEvent)
  /** Something that the caller brought is not what it was. */
  | { readonly kind: 'caller-changed'; readonly run: number; readonly what: string }
  /** Somebody looked inside the host value. */
  | { readonly kind: 'host-touched'; readonly how: string }
  /** The run is over. `usage` is null when the runtime reports none. */
  | ({ readonly kind: 'run-settled' } & Settled)
  /** More model calls than any sane limit allows; from here on the model only answers. */
  | { readonly kind: 'runaway' }
  /** Nothing moves any more, and a run is not over. */
  | { readonly kind: 'hung'; readonly run: number };

/** An observation together with its place in the trace, counted from 0. */
export type Placed<K extends Observation['kind'] = Observation['kind']> = Extract<Observation, { kind: K }> & { readonly at: number };

/** All observations of one kind, in order. */
export function seen<K extends Observation['kind']>(trace: Trace, kind: K): readonly Placed<K>[] {
  return (byKind(trace).get(kind) ?? []) as unknown as readonly Placed<K>[];
}

const byKind = once((trace: Trace): ReadonlyMap<string, readonly Placed[]> => Map.groupBy(trace, ({ kind }) => kind));
