import { type Outcome, type Path, post, type Run } from './run.ts';
import { stopOver } from './stops.ts';

/** An answer. */
export const answered = (text: string): Outcome => ({ status: 'completed', text });

/** A failure, in words, whatever it was that was thrown. */
export function failed(thrown: unknown): Outcome {
  const error = thrown instanceof Error ? thrown : new Error(typeof thrown === 'string' ? thrown : `something that is no error was thrown: ${thrown}`, { cause: thrown });
  return { status: 'failed', error, text: `Failed: ${error.message || error.name}` };
}

/** Ends an activation or a call. What fails where all work has to end has failed because of that. */
export function end(run: Run, path: Path, outcome: Outcome): void {
  const stop = outcome.status === 'failed' ? stopOver(run, path) : undefined;
  post(run, { kind: 'ended', path, outcome: stop?.outcome ?? outcome });
}

/** Makes something of what others wrote and goes on with that, or else ends the place that it is for. */
export function attempt<T>(run: Run, path: Path, make: () => T, next: (made: T) => void): void {
  let made: T;
  try {
    made = make();
  } catch (error) {
    end(run, path, failed(error));
    return;
  }
  next(made);
}
