import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { z } from 'zod';
import type { Capabilities } from './capability.ts';
import type { Limits, RunnerName, SLOTS, SlotName } from './scenario.ts';
import type { UsageReport } from './usage.ts';

/** What is being certified, and how the kit gets at it. */
export interface Adapter {
  /** The runtime's name. */
  readonly name: string;
  /** The runtime's version. */
  readonly version: string;
  readonly capabilities: Capabilities;
  /**
   * How many turns of the event loop without a sign of life tell that the runtime is waiting for the kit; 3 when absent.
   * A runtime that speaks HTTP to its model takes more.
   */
  readonly idleTurns?: number | undefined;
  /** The port of the world of in-process delegation. */
  readonly delegation: DelegationPort;
}

/**
 * Builds a team of agents once, and answers with the function that runs it. The team is run several times, also at the
 * same time. An adapter drives, listens and translates: it never retries, sorts, invents or repairs for its runtime.
 */
export type DelegationPort = (team: Team, kit: Instruments) => RunTeam | Promise<RunTeam>;

/** Runs the team's root with a prompt. It resolves also when the run fails; whatever it throws is the adapter's own fault. */
export type RunTeam = (input: RunInput) => Promise<RunOutcome>;

export interface Team {
  /** The name of the agent or composite that is run. */
  readonly root: string;
  readonly agents: readonly AgentSpec[];
  /** Empty for a runtime without `composites`. */
  readonly composites: readonly CompositeSpec[];
  /**
   * What is already there when the team is built. A runtime whose agents or tools take a host value or dependencies at
   * construction gets these; what a run brings has to win over them.
   */
  readonly built?: { readonly host: unknown; readonly deps: ReadonlyMap<string, unknown> } | undefined;
}

/** An agent: its model is `kit.model(name)`; its tools are its probes and one delegation tool for each of its delegates. */
export interface AgentSpec {
  readonly name: string;
  readonly instructions: string;
  /** The tools of its own. Every agent's first is called `probe`, and is another one than the other agents'. */
  readonly tools: readonly Probe[];
  /** Names of the agents and composites that it can delegate to; its model calls the tool `kit.toolFor(name)`. */
  readonly delegates: readonly string[];
  /** Limits that the agent's own definition carries (`limits` only). They narrow the ones that it inherits. */
  readonly limits?: Limits | undefined;
  /** How many turns its model may take to come to an answer (`turns` only); `undefined` asks for the runtime's default. */
  readonly turns?: number | undefined;
  /** How long it may take when it is delegated to, in milliseconds (`timeouts` only). */
  readonly timeout?: number | undefined;
  /** What its answer has to fit (`structured` only). */
  readonly output?: z.ZodType | undefined;
  /** The runner that it is to run on, whatever is around it (`runners` only). */
  readonly runner?: RunnerName | undefined;
  /** It is to run on `kit.overridingModel(name)`, which its definition does not know of (`runners` only). */
  readonly overridden?: true | undefined;
}

/**
 * Agents or composites put together by code, not by a model. Each part's prompt is made from the composite's own input.
 * Everything in one that names a `runner` is to run on that runner, unless something in it names another.
 */
export type CompositeSpec = { readonly runner?: RunnerName | undefined } & CompositeKind;

type CompositeKind =
  /** One part after the other, also after one that failed. */
  | { readonly name: string; readonly kind: 'sequence'; readonly parts: readonly string[]; prompt(input: string, index: number): string }
  /** All parts at the same time. */
  | { readonly name: string; readonly kind: 'parallel'; readonly parts: readonly string[]; prompt(input: string, index: number): string }
  /** The same part for each of `items(input)`, all at the same time; an item is the part's prompt. */
  | { readonly name: string; readonly kind: 'fanout'; readonly part: string; items(input: string): readonly string[] }
  /** The same part `times` times, one after the other. */
  | { readonly name: string; readonly kind: 'loop'; readonly part: string; readonly times: number; prompt(input: string, index: number): string };

/** What the caller of a run brings. */
export interface RunInput {
  readonly prompt: string;
  /** An opaque value for the tools (`host`). `undefined` when the caller gives none. */
  readonly host: unknown;
  /** Named dependencies for the tools (`deps`). */
  readonly deps: ReadonlyMap<string, unknown>;
  /** Limits of the whole run (`limits`); `undefined` asks for the runtime's defaults. */
  readonly limits: Limits | undefined;
  /** The caller's signal (`abort`). */
  readonly signal: AbortSignal;
  /** Whether the caller asks for a stream (`streaming`). What it says is put together as the outcome's `streamed`. */
  readonly stream: boolean;
  /** The caller's subscriber to events (`events`). It may throw. */
  onEvent(event: RuntimeEvent): void;
}

/** An event as the runtime told it; the adapter leaves out what the runtime does not say. */
export interface RuntimeEvent {
  readonly kind: 'run-start' | 'run-end' | 'tool-start' | 'tool-end';
  /** The run, or the run whose model called the tool. */
  readonly runId: string;
  readonly rootRunId?: string | undefined;
  readonly parentRunId?: string | undefined;
  /** The tool call that made the run. */
  readonly parentToolCallId?: string | undefined;
  /** Of a tool call: the call. */
  readonly toolCallId?: string | undefined;
  readonly traceId?: string | undefined;
  readonly spanId?: string | undefined;
  readonly parentSpanId?: string | undefined;
  /** Delegations between the root, at 0, and the run. Parts of composites have the depth of their composite. */
  readonly depth?: number | undefined;
  /** What a run was asked (`run-start`). */
  readonly prompt?: string | undefined;
  /** How it ended (`run-end`, `tool-end`). */
  readonly status?: 'completed' | 'failed' | 'cancelled' | undefined;
}

/** How a run ended, as the runtime says. */
export interface RunOutcome {
  readonly status: 'completed' | 'failed' | 'cancelled';
  /** The final answer of a completed run; a structured one as JSON. */
  readonly text?: string | undefined;
  /** The text that a stream gave, put together (`streaming`). */
  readonly streamed?: string | undefined;
  /** Why a run failed or was cancelled, as the runtime gave it. */
  readonly error?: unknown;
  /** What the runtime says the run spent (`usage`). */
  readonly usage?: UsageReport | undefined;
}

/** The state a tool is given (`scratchpad`), reduced to what a probe needs. Both are synchronous. */
export interface PadView {
  get(slot: Slot): readonly string[];
  update(slot: Slot, change: (entries: readonly string[]) => readonly string[]): void;
}

/** A piece of state: shared by a whole run, or private to a branch and then merged if it says how. */
export interface Slot {
  readonly key: SlotName;
  readonly scope: 'run' | 'branch';
  init(): readonly string[];
  readonly merge?: ((parent: readonly string[], child: readonly string[]) => readonly string[]) | undefined;
}

/** What the runtime gave a tool call. An adapter passes on what there is, as it is. */
export interface ProbeContext {
  readonly host?: unknown;
  readonly pad?: PadView | undefined;
  /** Looks a dependency up as the runtime does; throws what the runtime throws. */
  readonly dep?: ((key: string) => unknown) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A tool of the kit: the adapter registers it with the runtime for the agent that it belongs to. */
export interface Probe {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<{ call: string }>;
  call(input: { call: string }, context: ProbeContext): Promise<string>;
}

/** What the kit lends to an adapter. */
export interface Instruments {
  /** The scripted model of an agent, as an AI SDK language model. */
  model(agent: string): LanguageModelV4;
  /** The model that overrides an agent's own (`runners`). */
  overridingModel(agent: string): LanguageModelV4;
  /** A model as it is asked by a runner (`runners`): the runner has to send every request of its own through this. */
  through(runner: RunnerName, model: LanguageModelV4): LanguageModelV4;
  /** The scripted model as a plain function of the conversation. */
  reply(request: ModelRequest): Promise<ModelReply>;
  /** The scripted model as an OpenAI-compatible chat completions endpoint: answers a request, however it got there. */
  endpoint(request: Request): Promise<Response>;
  /** A clock for time limits, for a runtime that can be given one. Time passes when nothing else moves. */
  readonly clock: Clock;
  /** Every slot that probes use. */
  readonly slots: Readonly<Record<keyof typeof SLOTS, Slot>>;
  /** The name of the tool that delegates to an agent or composite. */
  toolFor(delegate: string): string;
  /** The input of every delegation tool: `task` is the sub-agent's prompt. */
  readonly taskInput: z.ZodType<{ task: string }>;
}

/** Calls back after some milliseconds, unless it is cancelled before by what it returns. */
export interface Clock {
  setTimeout(callback: () => void, ms: number): () => void;
}

/** A conversation as the scripted model reads it, and how it is asked. */
export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  /** The names of the tools that the model is offered. A runtime that does not say is not certified in the chapter on executors. */
  readonly tools?: readonly string[] | undefined;
  /** The signal that ends the call. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the answer has to be JSON; text when absent. */
  readonly format?: 'text' | 'json' | undefined;
  /** The runner that asks (`runners`). */
  readonly runner?: string | undefined;
  /** Whether it is the overriding model that is asked (`runners`). */
  readonly model?: 'own' | 'override' | undefined;
}

export type ModelMessage =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string }
  | { readonly role: 'tool'; readonly results: readonly { readonly id: string; readonly text: string }[] };

/**
 * What the scripted model says: tool calls or an answer, and what it cost. It throws where the script says it fails. The
 * result of a call has to come back under the call's `id`. `json` is its arguments as the model wrote them: a model may get them wrong.
 */
export interface ModelReply {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly json: string }[];
  readonly usage: { readonly input: unknown; readonly output: unknown };
}
