import { InvalidDefinitionError } from './errors.ts';
import { defineNode, type Node, type NodeContext } from './node.ts';
import { failed, type NodeResult } from './node-result.ts';

/** How often a node is tried. */
export interface RetryOptions {
  /** How often it runs at most, the first time included. A positive integer. */
  readonly attempts: number;
  /** Whether to try again after a failure. It is asked after each but the last, and defaults to always. */
  shouldRetry?(failure: FailedAttempt): boolean;
}

/** An attempt that failed. */
export interface FailedAttempt {
  readonly error: Error;
  /** 1-based. */
  readonly attempt: number;
}

/**
 * A node like another that is run again, at once and on the same state, when it fails; the last failure is its own. All
 * attempts are the one activation that its node would be: limits count it once, its account has what they all cost. To
 * have a time for each attempt, give it a node with a timeout. After an abort there is no other attempt.
 * @throws InvalidDefinitionError when attempts is not a positive integer
 */
export function withRetry<In, Out>(node: Node<In, Out>, { attempts, shouldRetry = () => true }: RetryOptions): Node<In, Out> {
  const { name, description, limits } = node;
  if (!(Number.isInteger(attempts) && attempts > 0)) {
    throw new InvalidDefinitionError(`The retry of node "${name}" has attempts ${attempts}. Make it a positive integer.`);
  }
  return defineNode<In, Out>({
    name,
    description,
    limits,
    async perform(input, context) {
      for (let attempt = 1; ; attempt++) {
        const result = await attempted(node, input, context);
        if (result.succeeded || attempt >= attempts || context.signal?.aborted) return result;
        if (!shouldRetry({ error: result.error, attempt })) return result;
      }
    },
  });
}

/** Nodes that were not made by `defineNode` may throw. */
async function attempted<In, Out>(node: Node<In, Out>, input: In, context: NodeContext): Promise<NodeResult<Out>> {
  try {
    return await node.run(input, context);
  } catch (thrown) {
    return failed(thrown);
  }
}
