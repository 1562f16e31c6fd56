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

/** The error and all that caused it, from the outside in. A circle of causes ends. */
export function causesOf(error: unknown): readonly unknown[] {
  const causes = new Set<unknown>();
  for (let cause = error; cause !== undefined && !causes.has(cause); cause = cause instanceof Error ? cause.cause : undefined) causes.add(cause);
  return [...causes];
}
