import { unlessAborted } from './cancellation.ts';
import { checkWait } from './clock.ts';
import { TimeoutError } from './errors.ts';
import { defineNode, type Node, type RunContext } from './node.ts';

/**
 * A node like another that is stopped when it takes longer. Its work is: the signal below is aborted, and only when all
 * that was under way has ended does it fail with a `TimeoutError`. The run that it is part of goes on. It is the same
 * activation as its node.
 * @throws InvalidDefinitionError when the time is none that a clock can wait for
 */
export function withTimeout<In, Out>(node: Node<In, Out>, ms: number): Node<In, Out> {
  const { name, description, limits } = node;
  checkWait(`The timeout of node "${name}"`, ms);
  return defineNode<In, Out>({
    name,
    description,
    limits,
    async perform(input, context) {
      const { signal, end } = deadline(name, ms, context);
      try {
        return unlessAborted(await node.run(input, { ...context, signal }), signal, name);
      } finally {
        end();
      }
    },
  });
}

interface Deadline {
  readonly signal: AbortSignal;
  /** Leaves neither a timer nor a listener behind. */
  end(): void;
}

/** A signal that is aborted when time is up, or with the run's own. */
function deadline(node: string, ms: number, { signal, clock }: RunContext): Deadline {
  const controller = new AbortController();
  const follow = (): void => controller.abort(signal?.reason);
  if (signal?.aborted) follow();
  signal?.addEventListener('abort', follow);
  const cancel = clock.setTimeout(() => controller.abort(new TimeoutError(node, ms)), ms);
  const end = (): void => {
    cancel();
    signal?.removeEventListener('abort', follow);
  };
  return { signal: controller.signal, end };
}
