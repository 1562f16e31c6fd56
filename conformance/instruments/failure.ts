import type { Failure } from '../../spec/model/scenario.ts';

/** What is thrown where the script has something fail. */
export function thrownAs(how: Failure = 'error', message: string): unknown {
  switch (how) {
    case 'error':
      return new Error(message);
    case 'string':
      return message;
    case 'nothing':
      return undefined;
    case 'abort-shaped':
      return new DOMException(message, 'AbortError');
  }
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The error and all that caused it, from the outside in, also where an error stands for several. A circle of causes ends. */
export function causesOf(error: unknown): readonly unknown[] {
  const causes = new Set<unknown>();
  const waiting: unknown[] = [error];
  for (let cause = waiting.shift(); cause !== undefined; cause = waiting.shift()) {
    if (causes.has(cause)) continue;
    causes.add(cause);
    if (cause instanceof Error) waiting.push(cause.cause);
    if (cause instanceof AggregateError) waiting.push(...cause.errors);
  }
  return [...causes];
}
