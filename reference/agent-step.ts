import type { FlexibleSchema } from '@ai-sdk/provider-utils';
import type { Scratchpad } from '../spec/model/parts.ts';
import { type Agent, type AgentChange, viewOf } from './agent.ts';
import { StructuredOutputUnsupportedError } from './errors.ts';
import { defineNode, type Node } from './node.ts';
import { succeeded } from './node-result.ts';
import type { Runner } from './runner.ts';

/** Reads state, and cannot change it. */
export type ScratchpadReader = Pick<Scratchpad, 'get'>;

/** How an agent runs as a node. Nothing of it is handed on to what the agent delegates to. */
export interface AgentStepOptions<In, Out> extends AgentChange {
  /** Words the agent's message from the node's input and the state. It defaults to the input. */
  prompt?(input: In, state: ScratchpadReader): string;
  /** Runs the agent's own turns, before the runner of the nearest `withRunner` and that of the run. */
  readonly runner?: Runner | undefined;
  /** The schema that the answer has to fit: zod, JSON schema or any standard schema. Without it, the answer is text. */
  readonly output?: FlexibleSchema<Out> | undefined;
}

/**
 * Makes a node of an agent. The node has the agent's name, description and limits, and ends with what its model answers last.
 * @throws InvalidDefinitionError when a tool among the options cannot be executed here
 * @requirement context.own-runner-wins
 * @requirement context.structured-answers-ask-the-same-runner
 * @requirement context.no-silent-fallback
 * @requirement conversation.a-run-ends-with-its-roots-answer
 */
export function agentStep<In = string, Out = string>(agent: Agent, options: AgentStepOptions<In, Out> = {}): Node<In, Out> {
  const { name, description, limits } = agent;
  const { output } = options;
  const view = viewOf(agent, options);
  return defineNode<In, Out>({
    name,
    description,
    limits,
    perform(input, context) {
      const runner = options.runner ?? context.runner;
      if (output && !runner.runStructured) throw new StructuredOutputUnsupportedError(name);
      const message = options.prompt ? options.prompt(input, readerOf(context.scratchpad)) : String(input);
      const answer = output && runner.runStructured ? runner.runStructured(view, message, output, context) : runner.run(view, message, context);
      return (answer as Promise<Out>).then(succeeded);
    },
  });
}

function readerOf(scratchpad: Scratchpad): ScratchpadReader {
  return Object.freeze({ get: (slot) => scratchpad.get(slot) } satisfies ScratchpadReader);
}
