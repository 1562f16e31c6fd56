import { runBranches } from './branches.ts';
import { defineNode, type Node, type NodeIdentity } from './node.ts';

/** Nodes that run at the same time. */
export interface ParallelDefinition<In, Out> extends NodeIdentity {
  readonly parts: readonly Node<In, Out>[];
  /** Makes a part's input from that of the whole. It defaults to just that. */
  prompt?(input: In, index: number): In;
}

/** Makes a node that runs its parts at the same time. Its output is theirs, in the order of the parts. */
export function parallel<In = string, Out = string>(definition: ParallelDefinition<In, Out>): Node<In, readonly Out[]> {
  const { parts, prompt = (input) => input, ...rest } = definition;
  return defineNode({
    ...rest,
    perform: (input, context) =>
      runBranches(
        parts.map((node, index) => ({ node, prompt: () => prompt(input, index) })),
        context,
      ),
  });
}
