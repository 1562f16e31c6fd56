import { defineNode, type Node } from './node.ts';
import type { Runner } from './runner.ts';

/**
 * A node like another that runs on a runner of its own, with all that is below it, down to the next `withRunner` and
 * except for steps that have a runner. It is the same activation, and what is beside it runs on what it ran on before.
 * @requirement context.nearest-runner-wins
 * @requirement context.runner-stays-in-its-part
 */
export function withRunner<In, Out>(node: Node<In, Out>, runner: Runner, { name = node.name }: { readonly name?: string } = {}): Node<In, Out> {
  const { description, limits } = node;
  return defineNode({ name, description, limits, perform: (input, context) => node.run(input, { ...context, runner }) });
}
