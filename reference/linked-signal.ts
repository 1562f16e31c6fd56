/** A signal that can be aborted by itself, and is with the one above it. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Ends the link, and leaves nothing of it behind. */
  unlink(): void;
}

/** What is aborted with a signal that was made here. */
const linked = new WeakMap<AbortSignal, Set<AbortController>>();

/**
 * Makes a signal below another, or below none.
 * @requirement cancellation.timeout-harms-nobody-else
 */
export function linkedTo(above: AbortSignal | undefined): LinkedSignal {
  const controller = new AbortController();
  linked.set(controller.signal, new Set());
  if (above?.aborted) controller.abort(above.reason);
  return { signal: controller.signal, abort: (reason) => abortDown(controller, reason), unlink: above ? link(controller, above) : () => {} };
}

function link(controller: AbortController, above: AbortSignal): () => void {
  const beside = linked.get(above);
  if (beside) {
    beside.add(controller);
    return () => void beside.delete(controller);
  }
  const abort = (): void => abortDown(controller, above.reason);
  above.addEventListener('abort', abort);
  return () => above.removeEventListener('abort', abort);
}

/** Not by listeners that abort the next: a chain of timeouts may be longer than a call stack. */
function abortDown(from: AbortController, reason: unknown): void {
  const waiting = [from];
  for (let controller = waiting.pop(); controller; controller = waiting.pop()) {
    waiting.push(...(linked.get(controller.signal) ?? []));
    controller.abort(reason);
  }
}
