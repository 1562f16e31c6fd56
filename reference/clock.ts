import { InvalidDefinitionError } from './errors.ts';

/** Where time comes from. A run that is given a clock of its own waits for no other. */
export interface Clock {
  /** Calls back once after so many milliseconds, unless what it returns is called before. */
  setTimeout(callback: () => void, ms: number): () => void;
}

/** The time of this process. */
export const systemClock: Clock = Object.freeze({
  setTimeout(callback, ms) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
} satisfies Clock);

/** The longest that a timer of this platform can wait, in milliseconds: some 24 days. It takes more for nothing. */
export const LONGEST_WAIT = 2 ** 31 - 1;

/** @throws InvalidDefinitionError when it is no time that a clock can wait for */
export function checkWait(whose: string, ms: number): void {
  if (!(ms > 0 && ms <= LONGEST_WAIT)) throw new InvalidDefinitionError(`${whose} is ${ms} ms. Make it more than 0 and at most ${LONGEST_WAIT}.`);
}

/** Waits, and no longer than until the signal is aborted. It leaves neither a timer nor a listener behind. */
export function pause(ms: number, clock: Clock, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = (): void => resolve();
  signal?.addEventListener('abort', end);
  const cancel = clock.setTimeout(end, ms);
  return promise.finally(() => {
    cancel();
    signal?.removeEventListener('abort', end);
  });
}
