import type { Adapter } from './ports.ts';
import type { Limits } from './scenario.ts';
import type { UsageReport } from './usage.ts';

/**
 * The parts of a delegation runtime that the requirements are about, as seams. An adapter that lets them be swapped
 * lets the kit break one at a time, and so prove that each requirement can fail.
 */
export interface Parts {
  /** Makes the scratchpad of a run. */
  createScratchpad(): Scratchpad;
  /** Makes the guard that a run starts with; `limits` are the run's, `undefined` asks for the defaults. */
  createGuard(limits: Limits | undefined): Guard;
  /** Makes the account of a run. */
  createLedger(prompt: string): Ledger;
  /** Decides what the tool of one call is handed, from what its agent was handed. */
  carry(ambient: Ambient, call: ToolCallSite): Ambient;
}

/** What travels with a run to every tool call, and from there to every sub-agent. Opaque to the runner. */
export interface Ambient {
  readonly host?: unknown;
  readonly scratchpad?: Scratchpad | undefined;
  readonly deps?: DepReader | undefined;
  readonly guard: Guard;
  readonly ledger: Ledger;
  readonly signal?: AbortSignal | undefined;
}

/** A tool call, as the part that decides what crosses sees it. `turn` is 0-based. */
export interface ToolCallSite {
  readonly agent: string;
  readonly tool: string;
  readonly toolCallId: string;
  readonly turn: number;
}

/** A slot of state. */
export interface SlotDefinition<T> {
  readonly key: string;
  readonly scope: 'run' | 'branch';
  init(): T;
  readonly merge?: ((parent: T, child: T) => T) | undefined;
}

/** Run-scoped state that all share, and branch-scoped state that each fork has for itself. */
export interface Scratchpad {
  get<T>(slot: SlotDefinition<T>): T;
  set<T>(slot: SlotDefinition<T>, value: T): void;
  update<T>(slot: SlotDefinition<T>, change: (value: T) => T): void;
  /** A scratchpad for one branch: the same run-scoped state, fresh branch-scoped state. */
  fork(): Scratchpad;
  /** Merges branches back, in the order given: the caller gives them by index, whichever finished first. */
  join(branches: readonly Scratchpad[]): void;
}

/** Reads injected dependencies. */
export interface DepReader {
  /** @throws an error that names the key when it is not bound. */
  get(key: string): unknown;
}

/** One activation on the way down: a node's name, and whether it was delegated to or is part of a composite. */
export interface Activation {
  readonly node: string;
  readonly by: 'root' | 'delegation' | 'composite';
  /** Limits of the node's own definition. */
  readonly limits?: Limits | undefined;
}

/** The recursion guard of one place in the tree. */
export interface Guard {
  /** Pushes a frame, runs the body under it and pops it on every way out. @throws before the body when a limit forbids it. */
  within<T>(activation: Activation, body: (guard: Guard) => Promise<T>): Promise<T>;
}

/** The account of one agent's run, in the tree of accounts. */
export interface Ledger {
  /** Books one model call. Refuses usage that is not finite and non-negative; never throws. */
  record(usage: { readonly input: unknown; readonly output: unknown }): void;
  /** Opens the account of a run below this one. */
  child(prompt: string): Ledger;
  /** Tells the account that its run ended, and how. */
  close(ending: 'succeeded' | 'failed'): void;
  report(): UsageReport;
}

/** An adapter whose runtime can be built from changed parts. */
export interface MutableAdapter extends Adapter {
  withParts(change: (parts: Parts) => Partial<Parts>): Adapter;
}
