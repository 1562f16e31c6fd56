import type { FlexibleSchema, Tool } from '@ai-sdk/provider-utils';
import type { Ambient, DepReader, Scratchpad } from '../spec/model/parts.ts';
import { activate } from './activate.ts';
import type { Tools } from './agent.ts';
import { InvalidDefinitionError } from './errors.ts';
import type { Node, NodeContext, RunContext } from './node.ts';
import type { NodeResult } from './node-result.ts';
import type { Runner } from './runner.ts';

/** A delegation: a node that a model can call as a tool. */
export interface NodeToolDefinition<Args, In, Out> extends Provisions {
  readonly description: string;
  /** The schema of the call's arguments: zod, JSON schema or any standard schema. */
  readonly input: FlexibleSchema<Args>;
  /** What is delegated to; a function where nodes refer to each other in a circle. */
  readonly node: Node<In, Out> | (() => Node<In, Out>);
  /** Makes the node's input from the call's arguments. */
  prompt(args: Args): In;
}

/** What a delegation falls back on where the run that it is part of brings nothing, or where there is no run. */
export interface Provisions {
  readonly runner?: Runner | undefined;
  readonly host?: unknown;
  readonly deps?: DepReader | undefined;
  readonly scratchpad?: Scratchpad | undefined;
}

/**
 * Makes a tool of a node. Called in a run, it is part of that run; called by a stranger, such as the AI SDK's own
 * `generateText`, it starts a run. A node that fails makes the call fail with the node's error.
 */
export function nodeTool<Args, In, Out>(definition: NodeToolDefinition<Args, In, Out>): Tool {
  const { description, input, node, prompt } = definition;
  const execute = (args: Args, { context, abortSignal }: CallContext = {}): Promise<Out> =>
    delegate(typeof node === 'function' ? node() : node, prompt(args), contextFor(definition, context, abortSignal));
  return { description, inputSchema: input, execute } as Tool;
}

interface CallContext {
  readonly context?: unknown;
  readonly abortSignal?: AbortSignal | undefined;
}

/**
 * Runs the node and gives its output to the model, all of it and nothing else. What it left in its branch-scoped state is gone.
 * @requirement conversation.turns-below-stay-below
 * @requirement conversation.answers-arrive-whole
 * @requirement fork.nothing-merges-across-the-seam
 */
function delegate<In, Out>(node: Node<In, Out>, input: In, context: NodeContext): Promise<Out> {
  return (context.guard === undefined ? node.run(input, context) : activate(node, 'delegation', input, context)).then(outputOf);
}

function outputOf<Out>(result: NodeResult<Out>): Out {
  if (!result.succeeded) throw result.error;
  return result.output;
}

/**
 * Completes what the run brings with what was there when the tool was made.
 * @throws InvalidDefinitionError when neither has a runner
 * @requirement host.run-wins-over-construction
 * @requirement cancellation.reaches-sub-agents
 */
function contextFor(provisions: Provisions, context: unknown, signal: AbortSignal | undefined): NodeContext {
  const run: Partial<RunContext> = isUnderWay(context) ? context : {};
  const runner = run.runner ?? provisions.runner;
  if (!runner) throw new InvalidDefinitionError('A delegation has no runner. Call it within a run, or give nodeTool a runner.');
  return {
    ...run,
    runner,
    host: run.host === undefined ? provisions.host : run.host,
    deps: run.deps ?? provisions.deps,
    scratchpad: run.scratchpad ?? provisions.scratchpad ?? runner.parts.createScratchpad(),
    signal: signal ?? run.signal,
  } as NodeContext;
}

/** Tells the context of a run from whatever else a stranger hands its tools. */
function isUnderWay(context: unknown): context is Ambient & Partial<RunContext> {
  return typeof context === 'object' && context !== null && 'guard' in context && 'ledger' in context;
}

/** A tool with the name that a model calls it by. */
export type NamedTool = readonly [name: string, tool: Tool];

/**
 * Puts delegations together to a team, by their tools' names.
 * @throws InvalidDefinitionError when two have one name
 */
export function toolbox(tools: Iterable<NamedTool>): Tools {
  const box = new Map<string, Tool>();
  for (const [name, tool] of tools) {
    if (box.has(name)) throw new InvalidDefinitionError(`Two delegations are named "${name}". Name each differently: a model calls them by name.`);
    box.set(name, tool);
  }
  return Object.freeze(Object.fromEntries(box));
}
