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

export type Observation =
  /** A run of the team begins. */
  | { readonly kind: 'run-started'; readonly run: number }
  /** The model is asked for a turn; `results` are those of the calls of the turn before. */
  | { readonly kind: 'model-asked'; readonly task: Ref; readonly turn: number; readonly results: readonly CallResult[] }
  /** The model replies. `spent` is null when the usage it reports is spoilt. */
  | { readonly kind: 'model-replied'; readonly task: Ref; readonly turn: number; readonly reply: 'calls' | 'answer' | 'failure'; readonly spent: Usage | null }
  /** A probe is called, and waits to be let through. */
  | { readonly kind: 'probe-called'; readonly call: CallRef; readonly host: Origin }
  /** A probe is let through and does its operation. */
  | { readonly kind: 'probe-acted'; readonly call: CallRef; readonly op: Op; readonly saw: Saw }
  /** Somebody looked inside the host value. */
  | { readonly kind: 'host-touched'; readonly how: string }
  /** The run is over. `usage` is null when the runtime reports none. */
  | { readonly kind: 'run-settled'; readonly run: number; readonly status: 'completed' | 'failed' | 'cancelled'; readonly text: string; readonly usage: SeenAccount | null }
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
