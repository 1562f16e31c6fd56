import type { Clock } from '../../../spec/model/ports.ts';

/** Why the work at some place is stopped. */
interface Stop {
  readonly by: 'caller' | 'time';
  readonly cause: unknown;
}

/**
 * Where the work of a run is stopped, in one table: no signal is handed down. Whatever is under way has a controller under
 * its own path, and a stop aborts all whose path begins with its own.
 */
export class Stops {
  readonly #clock: Clock;
  readonly #stops = new Map<string, Stop>();
  readonly #underWay = new Map<string, AbortController>();
  readonly #timers = new Map<string, () => void>();

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    const abort = (): void => this.#stop('root', { by: 'caller', cause: signal.reason });
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  }

  /** What stops the work at a place, if anything: the outermost stop. */
  over(path: string): Stop | undefined {
    for (const [place, stop] of this.#stops) if (isWithin(path, place)) return stop;
    return undefined;
  }

  /** A signal for something that is about to be under way. */
  watched(path: string): AbortSignal {
    const controller = new AbortController();
    this.#underWay.set(path, controller);
    return controller.signal;
  }

  /** Stops the work at a place when its time is up. */
  after(ms: number, path: string, why: string): void {
    this.#timers.set(
      path,
      this.#clock.setTimeout(() => this.#stop(path, { by: 'time', cause: new Error(why) }), ms),
    );
  }

  /** What was at a place is over. Whether it was stopped is remembered: somebody may still ask. */
  forget(path: string): void {
    this.#timers.get(path)?.();
    this.#timers.delete(path);
    this.#underWay.delete(path);
  }

  #stop(place: string, stop: Stop): void {
    this.#stops.set(place, stop);
    for (const [path, controller] of this.#underWay) if (isWithin(path, place)) controller.abort(stop.cause);
  }
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}
