import { above, agentAt, agentNamed, isWithin, type Outcome, type Path, post, ROOT, type Run } from './run.ts';

/** Has the run stopped when its caller aborts, or has aborted. */
export function heedCaller(run: Run): void {
  const { signal } = run;
  const stop = (): void => post(run, { kind: 'stopped', path: ROOT, outcome: { status: 'cancelled', error: signal.reason, text: 'Cancelled.' } });
  run.timers.set(ROOT, () => signal.removeEventListener('abort', stop));
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop);
}

/** Has an agent stopped when its time is up. An agent has its time when it is delegated to, not as a part. */
export function setTimeLimit(run: Run, path: Path, node: string): void {
  const ms = agentAt(run, above(path)) && agentNamed(run, node)?.timeout;
  if (ms === undefined) return;
  const error = new Error(`The ${node} did not come to an answer within ${ms} ms.`);
  const stop = (): void => post(run, { kind: 'stopped', path, outcome: { status: 'failed', error, text: `Failed: ${error.message}` } });
  run.timers.set(path, run.kit.clock.setTimeout(stop, ms));
}

/** Nothing stops any more what is over. */
export function isOver(run: Run, path: Path): void {
  run.timers.get(path)?.();
  run.timers.delete(path);
}

/** The first stop of a place, or of all that it is part of. */
export function stopOver(run: Run, path: Path): { readonly outcome: Outcome } | undefined {
  return run.stops.find((stop) => isWithin(path, stop.path));
}

/** Stops all work at a place and below it. That it has ended is told by whoever does it, so nothing is forgotten that goes on. */
export function stop(run: Run, path: Path, outcome: Outcome): void {
  run.stops.push({ path, outcome });
  for (const [place, controller] of run.underWay) if (isWithin(place, path)) controller.abort(outcome.error);
}

/** Has somebody work at a place, under a signal of its own. */
export function workAt<T>(run: Run, path: Path, work: (signal: AbortSignal) => Promise<T>, done: (result: T) => void, broken: (error: unknown) => void): void {
  const controller = new AbortController();
  const over = (): unknown => run.underWay.delete(path);
  run.underWay.set(path, controller);
  work(controller.signal).then(
    (result) => (over(), done(result)),
    (error: unknown) => (over(), broken(error)),
  );
}
