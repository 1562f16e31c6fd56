import { CancelledError } from './errors.ts';

/** What can be cancelled. It is named in a message only when it is, for most never are. */
type Kind = 'Agent' | 'Node' | 'Tool';

/** @throws CancelledError when the signal is aborted */
export function throwIfAborted(signal: AbortSignal | undefined, kind: Kind, name: string): void {
  if (signal?.aborted) throw new CancelledError(`${kind} "${name}"`, signal.reason);
}

/** Tells apart what failed because of our signal from what failed by itself, however either is worded. */
export function causeOf(thrown: unknown, signal: AbortSignal | undefined, kind: Kind, name: string): unknown {
  return signal?.aborted ? new CancelledError(`${kind} "${name}"`, thrown) : thrown;
}
