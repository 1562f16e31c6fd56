import type { Scratchpad } from '../spec/model/parts.ts';
import type { Agent } from './agent.ts';
import { defineNode, type Node } from './node.ts';
import { succeeded } from './node-result.ts';

/** Reads state, and cannot change it. */
export type ScratchpadReader = Pick<Scratchpad, 'get'>;

/** Makes a node of an agent. The node has the agent's name, description and limits. */
export function agentStep(agent: Agent): Node;
/** Makes a node of an agent that words its message itself, from its input and the state. */
export function agentStep<In>(agent: Agent, prompt: (input: In, state: ScratchpadReader) => string): Node<In>;
export function agentStep<In>(agent: Agent, prompt?: (input: In, state: ScratchpadReader) => string): Node<In> {
  const { name, description, limits } = agent;
  return defineNode({
    name,
    description,
    limits,
    perform(input, context) {
      const { runner, scratchpad } = context;
      const message = prompt ? prompt(input, readerOf(scratchpad)) : String(input);
      return runner.run(agent, message, context).then(succeeded);
    },
  });
}

function readerOf(scratchpad: Scratchpad): ScratchpadReader {
  return Object.freeze({ get: (slot) => scratchpad.get(slot) } satisfies ScratchpadReader);
}
