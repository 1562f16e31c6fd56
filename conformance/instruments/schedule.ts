import type { Clock } from '../../spec/model/ports.ts';
import type { Recorder } from './recorder.ts';
import { ScriptedClock } from './scripted-clock.ts';

/** How patient a schedule is. */
export interface Patience {
  /** How many idle turns of the event loop tell that a runtime moves no further by itself; 3 when absent. */
  readonly idleTurns?: number | undefined;
  /** How long a runtime may wait for a timer or a socket of its own before it counts as hung, in milliseconds; 5,000 when absent. */
  readonly watchdog?: number | undefined;
  /** How long it takes at most until a timer of the runtime's own that nobody can see goes off, in milliseconds; 0 when absent. */
  readonly unseen?: number | undefined;
}

/** Something that the caller does when nothing has moved by itself so many times; at the latest when nothing else can. */
export interface Interruption {
  readonly after: number;
  happen(): void;
}

/** How long a runtime's own timer may delay the opening of a gate, in milliseconds: so that uneven latency shows the same order every time. */
const MOMENT = 20;

/** How many turns follow that moment: on a busy machine it can pass in one turn, before a timer that is due had its own. */
const TURNS_AFTER = 5;

/** How many times as long as at a gate it is waited before time passes or the caller does something. */
const PATIENT = 8;

/** How a wait ended: it was let through, or its signal was aborted. */
export type Passage = 'open' | 'stopped';

/**
 * Holds every probe call at a gate and opens one gate at a time, only once the runtime moves no further by itself: so
 * the order in which concurrent calls complete is the schedule's choice, never the machine's.
 */
export class Schedule {
  readonly #recorder: Recorder;
  readonly #choices: readonly number[];
  readonly #idleTurns: number;
  /** What may bring a sign of life before a gate opens: sockets have had their turns where the adapter says how many they take. */
  readonly #stirring: (kind: string) => boolean;
  readonly #watchdog: number;
  /** A timer that does not keep the process alive, such as `AbortSignal.timeout`'s, is in no list of what is active. */
  readonly #unseen: number;
  readonly #waiting: { readonly name: string; open(): void }[] = [];
  readonly #hanging = new Set<() => void>();
  readonly #clock: ScriptedClock;
  #interruption: Interruption | undefined;
  #stops = 0;
  #next = 0;
  /** The names of the gates in the order in which they were opened, where more than one was waiting. */
  readonly order: string[] = [];

  constructor(recorder: Recorder, choices: readonly number[], { idleTurns, watchdog = 5_000, unseen = 0 }: Patience = {}) {
    this.#recorder = recorder;
    this.#choices = choices;
    this.#idleTurns = idleTurns ?? 3;
    this.#stirring = idleTurns === undefined ? () => true : (kind) => kind === 'Timeout';
    this.#watchdog = watchdog;
    this.#unseen = unseen;
    this.#clock = new ScriptedClock(recorder);
  }

  /** A clock whose time passes when nothing else moves. */
  get clock(): Clock {
    return this.#clock;
  }

  /** Has something happen from outside, once. */
  interrupt(interruption: Interruption): void {
    this.#interruption = interruption;
  }

  /** Waits until the schedule lets this call through, or its signal is aborted. */
  gate(name: string, signal?: AbortSignal): Promise<Passage> {
    const waiting = { name, open: () => {} };
    this.#waiting.push(waiting);
    return passage(
      signal,
      (open) => (waiting.open = open),
      () => {
        const index = this.#waiting.indexOf(waiting);
        if (index >= 0) this.#waiting.splice(index, 1);
      },
    );
  }

  /** Waits until the signal is aborted. */
  hang(signal?: AbortSignal): Promise<Passage> {
    return passage(
      signal,
      (open) => this.#hanging.add(open),
      (open) => this.#hanging.delete(open),
    );
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
        if (!this.#interrupts(++this.#stops)) this.#open();
      } else if (!(await this.#somethingHappens()) && !(await this.#movesAgain(idleResources))) return 'hung';
    }
  }

  /** Lets through whatever still waits, and all that hangs. */
  release(): void {
    for (const { open } of this.#waiting.splice(0)) open();
    for (const open of this.#hanging) open();
  }

  /** Lets time pass, or else something happen from outside, when nothing moves for long: whoever is slow must not be cut short for it. */
  async #somethingHappens(): Promise<boolean> {
    if (!this.#clock.isAwaited && !this.#interruption) return false;
    const before = this.#recorder.activity;
    for (let turn = 0; turn < this.#idleTurns * PATIENT; turn++) {
      await nextTurn();
      if (this.#recorder.activity !== before || this.#waiting.length > 0) return true;
    }
    return this.#clock.pass() || this.#interrupts(Number.POSITIVE_INFINITY);
  }

  #interrupts(stops: number): boolean {
    const { after, happen } = this.#interruption ?? { after: Number.POSITIVE_INFINITY, happen: undefined };
    if (!happen || stops < after) return false;
    this.#interruption = undefined;
    happen();
    return true;
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
    for (let late = 0; late < TURNS_AFTER && somethingPends(standing, this.#stirring) && this.#recorder.activity === before; ) {
      await nextTurn();
      if (performance.now() > deadline) late++;
    }
    return this.#recorder.activity !== before;
  }

  /** Waits for a sign of life while the runtime has a timer or a handle of its own that could bring one. */
  async #movesAgain(idleResources: ReadonlyMap<string, number>): Promise<boolean> {
    const before = this.#recorder.activity;
    const start = performance.now();
    for (let turn = 0; this.#recorder.activity === before; turn++) {
      await (turn < 50 ? nextTurn() : new Promise((resolve) => setTimeout(resolve, 2)));
      const patience = somethingPends(idleResources) ? this.#watchdog : this.#unseen;
      if (turn >= 50 && performance.now() - start > patience) return this.#recorder.activity !== before;
    }
    return true;
  }
}

/** A wait that ends by being let through, or by its signal; `leave` is called when it is the signal. */
function passage(signal: AbortSignal | undefined, enter: (open: () => void) => void, leave: (open: () => void) => void): Promise<Passage> {
  return new Promise((resolve) => {
    const stop = (): void => {
      leave(open);
      resolve('stopped');
    };
    const open = (): void => {
      signal?.removeEventListener('abort', stop);
      resolve('open');
    };
    enter(open);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
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

function somethingPends(idle: ReadonlyMap<string, number>, counts: (kind: string) => boolean = () => true): boolean {
  return [...activeResources()].some(([kind, count]) => kind !== 'Immediate' && counts(kind) && count > (idle.get(kind) ?? 0));
}
