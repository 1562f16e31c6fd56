import { defineNode, type Node } from './node.ts';
import { failed, type NodeResult } from './node-result.ts';

/** A node like another, with its output changed when it succeeds, as to make text of it. It is the same activation. */
export function withOutput<In, Out, Changed>(node: Node<In, Out>, change: (output: Out) => Changed): Node<In, Changed> {
  const { name, description, limits } = node;
  return defineNode({ name, description, limits, perform: async (input, context) => changed(await node.run(input, context), change) });
}

function changed<Out, Changed>(result: NodeResult<Out>, change: (output: Out) => Changed): NodeResult<Changed> {
  try {
    return result.succeeded ? { ...result, output: change(result.output) } : { ...result, output: undefined };
  } catch (thrown) {
    return failed(thrown);
  }
}
