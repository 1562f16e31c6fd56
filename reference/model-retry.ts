import { LONGEST_WAIT, pause } from './clock.ts';
import { InvalidDefinitionError } from './errors.ts';
import type { RunContext } from './node.ts';

/** How often a model is asked that is overloaded or out of order: only errors that the provider calls retryable count. */
export interface ModelRetry {
  /** How often it is asked at most, the first time included. It defaults to 3. */
  readonly attempts: number;
  /** Milliseconds before the second attempt; twice as long before each further one. It defaults to 1000. A provider's own wish comes first. */
  readonly firstDelay: number;
}

/** @throws InvalidDefinitionError when a number is none that makes sense */
export function modelRetry({ attempts = 3, firstDelay = 1000 }: Partial<ModelRetry> = {}): ModelRetry {
  if (!(Number.isInteger(attempts) && attempts > 0)) throw new InvalidDefinitionError(`The runner has retry.attempts ${attempts}. Make it a positive integer.`);
  if (!(firstDelay >= 0 && firstDelay <= LONGEST_WAIT)) {
    throw new InvalidDefinitionError(`The runner has retry.firstDelay ${firstDelay}. Make it a number of milliseconds from 0 to ${LONGEST_WAIT}.`);
  }
  return { attempts, firstDelay };
}

/** Makes a call again while it fails with what may pass, and fails with what it failed with last. After an abort it stops at once. */
export function persistently<T>(call: () => PromiseLike<T>, retry: ModelRetry, context: Waiting, attempt = 1): PromiseLike<T> {
  return call().then(undefined, (thrown) => again(thrown, call, retry, context, attempt));
}

type Waiting = Pick<RunContext, 'clock' | 'signal'>;

async function again<T>(thrown: unknown, call: () => PromiseLike<T>, retry: ModelRetry, context: Waiting, attempt: number): Promise<T> {
  const { clock, signal } = context;
  if (attempt >= retry.attempts || !isRetryable(thrown)) throw thrown;
  await pause(Math.min(wishedDelay(thrown) ?? retry.firstDelay * 2 ** (attempt - 1), LONGEST_WAIT), clock, signal);
  if (signal?.aborted) throw thrown;
  return persistently(call, retry, context, attempt + 1);
}

/** An error of the AI SDK's providers, by its shape: there may be several copies of its class. */
interface Retryable {
  readonly isRetryable: true;
  readonly responseHeaders?: Readonly<Record<string, string>> | undefined;
}

function isRetryable(thrown: unknown): thrown is Retryable {
  return typeof thrown === 'object' && thrown !== null && 'isRetryable' in thrown && thrown.isRetryable === true;
}

/**
 * Reads how many milliseconds a provider asks to be left alone for: as such, in seconds, or up to a date.
 * @see https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
 */
function wishedDelay(thrown: unknown): number | undefined {
  const { responseHeaders: headers = {} } = thrown as Retryable;
  const [ms, after] = [headers['retry-after-ms'], headers['retry-after']];
  const wishes = [Number(ms ?? Number.NaN), Number(after ?? Number.NaN) * 1000, Date.parse(after ?? '') - Date.now()];
  return wishes.find((wish) => wish >= 0);
}
