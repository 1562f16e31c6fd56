import { runBranches } from './branches.ts';
import { defineNode, type Node, type NodeIdentity } from './node.ts';

/** One node that runs for many items at the same time. */
export interface FanOutDefinition<In, Item, Out> extends NodeIdentity {
  readonly part: Node<Item, Out>;
  /** Lists the items, once per run. */
  items(input: In): readonly Item[];
}

/** Makes a node that runs its part for each item at the same time. Its output is theirs, in the order of the items. */
export function fanOut<In = string, Item = string, Out = string>(definition: FanOutDefinition<In, Item, Out>): Node<In, readonly Out[]> {
  const { part, items, ...rest } = definition;
  return defineNode({
    ...rest,
    perform: (input, context) =>
      runBranches(
        items(input).map((item) => ({ node: part, prompt: () => item })),
        context,
      ),
  });
}
