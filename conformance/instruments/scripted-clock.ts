import type { Clock } from '../../spec/model/ports.ts';
import type { Recorder } from './recorder.ts';

/** A clock without time of its own: it goes to whatever is due next, when it is told to. */
export class ScriptedClock implements Clock {
  readonly #recorder: Recorder;
  readonly #timers = new Set<{ readonly due: number; readonly callback: () => void }>();
  #now = 0;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  setTimeout(callback: () => void, ms: number): () => void {
    const timer = { due: this.#now + ms, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Whether anybody waits for time to pass. */
  get isAwaited(): boolean {
    return this.#timers.size > 0;
  }

  /** Lets time pass until the next timer is due, and calls back. False when there is none. */
  pass(): boolean {
    const next = [...this.#timers].toSorted((a, b) => a.due - b.due)[0];
    if (!next) return false;
    this.#timers.delete(next);
    this.#now = next.due;
    this.#recorder.record({ kind: 'time-passed' });
    next.callback();
    return true;
  }
}
