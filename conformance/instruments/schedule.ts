import type { Recorder } from './recorder.ts';

/** How patient a schedule is. */
export interface Patience {
  /** How many idle turns of the event loop tell that a runtime moves no further by itself; 3 when absent. */
  readonly idleTurns?: number | undefined;
  /** How long a runtime may wait for a timer or a socket of its own before it counts as hung, in milliseconds; 5,000 when absent. */
  readonly watchdog?: number | undefined;
}

/** How long a runtime's own timer may delay the opening of a gate, in milliseconds: so that uneven latency shows the same order every time. */
const MOMENT = 20;

/** How many turns follow that moment: on a busy machine it can pass in one turn, before a timer that is due had its own. */
const TURNS_AFTER = 5;

/**
 * Holds every probe call at a gate and opens one gate at a time, only once the runtime moves no further by itself: so
 * the order in which concurrent calls complete is the schedule's choice, never the machine's.
 */
export class Schedule {
  readonly #recorder: Recorder;
  readonly #choices: readonly number[];
  readonly #idleTurns: number;
  readonly #watchdog: number;
  readonly #waiting: { readonly name: string; open(): void }[] = [];
  #next = 0;
  /** The names of the gates in the order in which they were opened, where more than one was waiting. */
  readonly order: string[] = [];

  constructor(recorder: Recorder, choices: readonly number[], { idleTurns = 3, watchdog = 5_000 }: Patience = {}) {
    this.#recorder = recorder;
    this.#choices = choices;
    this.#idleTurns = idleTurns;
    this.#watchdog = watchdog;
  }

  /** Waits until the schedule lets this call through. */
  gate(name: string): Promise<void> {
    return new Promise((open) => this.#waiting.push({ name, open }));
  }

  /** Opens gates until `settled` says so. Returns `hung` when nothing can move any more. */
  async drive(settled: () => boolean): Promise<'settled' | 'hung'> {
    const idleResources = activeResources();
    let standing = idleResources;
    for (;;) {
      await this.#quiet(settled);
      if (settled()) return 'settled';
      if (this.#waiting.length > 0) {
        if (await this.#stirs(standing)) continue;
        standing = activeResources();
        this.#open();
      } else if (!(await this.#movesAgain(idleResources))) return 'hung';
    }
  }

  /** Opens every gate that is still waiting. */
  release(): void {
    for (const { open } of this.#waiting.splice(0)) open();
  }

  #open(): void {
    const choice = this.#waiting.length > 1 ? (this.#choices[this.#next++] ?? 0) % this.#waiting.length : 0;
    if (this.#waiting.length > 1) this.order.push((this.#waiting[choice] as { name: string }).name);
    this.#recorder.activity++;
    for (const { open } of this.#waiting.splice(choice, 1)) open();
  }

  async #quiet(settled: () => boolean): Promise<void> {
    for (let idle = 0, last = this.#recorder.activity; idle < this.#idleTurns && !settled(); idle++) {
      await nextTurn();
      if (this.#recorder.activity !== last) [idle, last] = [-1, this.#recorder.activity];
    }
  }

  /** Before a gate opens: gives a timer or a handle of the runtime's own a moment. One that brings nothing is not waited for again. */
  async #stirs(standing: ReadonlyMap<string, number>): Promise<boolean> {
    const before = this.#recorder.activity;
    const deadline = performance.now() + MOMENT;
    for (let late = 0; late < TURNS_AFTER && somethingPends(standing) && this.#recorder.activity === before; ) {
      await nextTurn();
      if (performance.now() > deadline) late++;
    }
    return this.#recorder.activity !== before;
  }

  /** Waits for a sign of life while the runtime has a timer or a handle of its own that could bring one. */
  async #movesAgain(idleResources: ReadonlyMap<string, number>): Promise<boolean> {
    const before = this.#recorder.activity;
    const deadline = performance.now() + this.#watchdog;
    for (let turn = 0; this.#recorder.activity === before; turn++) {
      await (turn < 50 ? nextTurn() : new Promise((resolve) => setTimeout(resolve, 2)));
      if (turn >= 50 && (!somethingPends(idleResources) || performance.now() > deadline)) return this.#recorder.activity !== before;
    }
    return true;
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Counts what keeps the event loop alive, by kind. */
function activeResources(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

function somethingPends(idle: ReadonlyMap<string, number>): boolean {
  return [...activeResources()].some(([kind, count]) => kind !== 'Immediate' && count > (idle.get(kind) ?? 0));
}
