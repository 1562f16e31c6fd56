import { activatePart } from './activate.ts';
import { defineNode, type Node, type NodeIdentity } from './node.ts';
import { type Failed, succeeded } from './node-result.ts';

/** Nodes that run one after the other. */
export interface SequentialDefinition<T> extends NodeIdentity {
  readonly parts: readonly Node<T, T>[];
  /** Makes a part's input from the output of the part before, and from the sequence's own input. It defaults to that output. */
  prompt?(value: T, index: number, input: T): T;
  /** Runs the parts after one that failed, too, on the last good output. The sequence has failed all the same. */
  readonly continueOnError?: boolean | undefined;
}

/**
 * Makes a node that runs its parts in order, all on the same state. The first that fails gives the error.
 * @requirement fork.stages-share-their-branch
 */
export function sequential<T = string>(definition: SequentialDefinition<T>): Node<T, T> {
  const { parts, prompt = (value) => value, continueOnError = false, ...rest } = definition;
  return defineNode({
    ...rest,
    async perform(input, context) {
      let output = input;
      let failure: Failed<T> | undefined;
      for (const [index, part] of parts.entries()) {
        const result = await activatePart(part, () => prompt(output, index, input), context);
        if (result.succeeded) output = result.output;
        else failure ??= result;
        if (failure && (!continueOnError || context.signal?.aborted)) break;
      }
      return failure ? { ...failure, output } : succeeded(output);
    },
  });
}
