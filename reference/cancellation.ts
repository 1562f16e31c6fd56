import { CancelledError } from './errors.ts';

/** @throws CancelledError when the signal is aborted */
export function throwIfAborted(signal: AbortSignal | undefined, what: string): void {
  if (signal?.aborted) throw new CancelledError(what, signal.reason);
}

/** Tells apart what failed because of our signal from what failed by itself, however either is worded. */
export function causeOf(thrown: unknown, signal: AbortSignal | undefined, what: string): unknown {
  return signal?.aborted ? new CancelledError(what, thrown) : thrown;
}
