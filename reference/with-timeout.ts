import { unlessAborted } from './cancellation.ts';
import { checkWait } from './clock.ts';
import { TimeoutError } from './errors.ts';
import { linkedTo } from './linked-signal.ts';
import { defineNode, type Node } from './node.ts';

/**
 * A node like another that is stopped when it takes longer. Its work is: the signal below is aborted, and only when all
 * that was under way has ended does it fail with a `TimeoutError`. The run that it is part of goes on. It is the same
 * activation as its node.
 * @throws InvalidDefinitionError when the time is none that a clock can wait for
 * @requirement cancellation.timeout-stops-the-work
 */
export function withTimeout<In, Out>(node: Node<In, Out>, ms: number): Node<In, Out> {
  const { name, description, limits } = node;
  checkWait(`The timeout of node "${name}"`, ms);
  return defineNode<In, Out>({
    name,
    description,
    limits,
    async perform(input, context) {
      const { signal, abort, unlink } = linkedTo(context.signal);
      const cancel = context.clock.setTimeout(() => abort(new TimeoutError(name, ms)), ms);
      try {
        return unlessAborted(await node.run(input, { ...context, signal }), signal, name);
      } finally {
        cancel();
        unlink();
      }
    },
  });
}
