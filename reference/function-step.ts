import { defineNode, type Node, type RunContext } from './node.ts';
import { succeeded } from './node-result.ts';

/** Makes a node of a function, which may read and change the state that its context holds. */
export function functionStep<In, Out>(name: string, perform: (input: In, context: RunContext) => Out | Promise<Out>): Node<In, Out> {
  return defineNode({ name, perform: async (input, context) => succeeded(await perform(input, context)) });
}
