import type { Ambient, Guard, Ledger, Scratchpad } from '../spec/model/parts.ts';
import type { Limits } from '../spec/model/scenario.ts';
import { activate } from './activate.ts';
import type { Bus } from './bus.ts';
import type { Clock } from './clock.ts';
import type { Lineage, ToolCall, TraceStart } from './lineage.ts';
import { failed, type NodeResult } from './node-result.ts';
import type { Runner } from './runner.ts';
import { startOf } from './run-start.ts';

/** What every node is known by. */
export interface NodeIdentity {
  readonly name: string;
  /** When to delegate to it, for the model that decides. */
  readonly description?: string | undefined;
  /** Limits on itself and on all that happens below it. They narrow the ones it inherits. */
  readonly limits?: Limits | undefined;
}

/** Something that can be run and delegated to: an agent, a function, or nodes put together. */
export interface Node<In = string, Out = string> extends NodeIdentity {
  /** Runs the node. Resolves also when it fails. */
  run(input: In, context: NodeContext): Promise<NodeResult<Out>>;
}

/** What a node is run with: what the caller of a run brings, or what travels with a run that is under way. */
export type NodeContext = RunStart | RunContext;

/** What the caller of a run brings. The runner is enough; what is missing is made. `traceId` and `parentSpanId` say where in a trace it happens. */
export interface RunStart extends TraceStart {
  readonly runner: Runner;
  /** An opaque value for the tools. */
  readonly host?: unknown;
  readonly scratchpad?: Scratchpad | undefined;
  readonly deps?: Ambient['deps'];
  readonly limits?: Limits | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The account to book the run on, for a caller who wants to read it. */
  readonly ledger?: Ledger | undefined;
  /** Is told what happens in the run. */
  readonly bus?: Bus | undefined;
  /** Where timeouts and waits take their time from. It defaults to the real one. */
  readonly clock?: Clock | undefined;
  /** Asks models for streams, and tells the bus what they say while they say it. `stream()` sets it. */
  readonly streaming?: boolean | undefined;
  readonly guard?: undefined;
}

/** What travels with a run to every node. It is what tools are handed as their `context`, too. */
export interface RunContext extends Ambient {
  readonly runner: Runner;
  readonly scratchpad: Scratchpad;
  readonly guard: Guard;
  readonly lineage: Lineage;
  readonly clock: Clock;
  readonly bus?: Bus | undefined;
  readonly streaming?: boolean | undefined;
  /** The call that is answered, in what its tool is handed. Nodes have none. */
  readonly call?: ToolCall | undefined;
}

/** A node in terms of what it does once a run is under way. */
export interface NodeDefinition<In, Out> extends NodeIdentity {
  /** Does the node's work. It may throw. */
  perform(input: In, context: RunContext): Promise<NodeResult<Out>>;
}

/**
 * Makes a node that never rejects, and that starts a run when it is given the context of none.
 * The caller's context is never changed.
 * @requirement context.caller-keeps-what-it-brought
 */
export function defineNode<In, Out>(definition: NodeDefinition<In, Out>): Node<In, Out> {
  const { name, description, limits, perform } = definition;
  const node: Node<In, Out> = {
    name,
    description,
    limits,
    run(input, context) {
      try {
        const running = context.guard === undefined ? activate(node, 'root', input, startOf(node, input, context)) : perform(input, context);
        return running.catch(failed);
      } catch (thrown) {
        return Promise.resolve(failed(thrown));
      }
    },
  };
  return Object.freeze(node);
}
