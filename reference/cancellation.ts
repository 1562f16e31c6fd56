import { CancelledError, type DelegationError, isDelegationError, TimeoutError } from './errors.ts';
import type { NodeResult } from './node-result.ts';

/** What can be cancelled. It is named in a message only when it is, for most never are. */
type Kind = 'Agent' | 'Node' | 'Tool';

/**
 * @throws CancelledError, or the TimeoutError that the signal carries, when the signal is aborted
 * @requirement cancellation.nothing-new-starts
 */
export function throwIfAborted(signal: AbortSignal | undefined, kind: Kind, name: string): void {
  if (signal?.aborted) throw stopped(signal, kind, name);
}

/**
 * Says why something has stopped: because its time was up, which is a failure, or else because the caller wants so.
 * @requirement cancellation.is-no-failure
 * @requirement cancellation.keeps-its-cause
 * @requirement cancellation.timeout-is-told
 */
export function stopped({ reason }: AbortSignal, kind: Kind, name: string): DelegationError {
  // By its class, not its code: a caller may have a reason that is called a timeout, too.
  return reason instanceof TimeoutError ? reason : new CancelledError(`${kind} "${name}"`, reason);
}

/**
 * Tells apart what failed because of our signal from what failed by itself, however either is worded.
 * @requirement cancellation.abort-shaped-error-is-an-error
 */
export function causeOf(thrown: unknown, signal: AbortSignal | undefined, kind: Kind, name: string): unknown {
  return signal?.aborted ? stopped(signal, kind, name) : thrown;
}

/**
 * What a node's result comes to when its signal is aborted by the time it has one: no answer, and no other error.
 * @requirement cancellation.is-no-success
 */
export function unlessAborted<Out>(result: NodeResult<Out>, signal: AbortSignal | undefined, name: string): NodeResult<Out> {
  if (!signal?.aborted || tellsOf(signal, result.error)) return result;
  return { ...result, succeeded: false, output: undefined, error: stopped(signal, 'Node', name) };
}

function tellsOf({ reason }: AbortSignal, error: Error | undefined): boolean {
  return error !== undefined && (error === reason || (isDelegationError(error, 'cancelled') && error.cause === reason));
}
