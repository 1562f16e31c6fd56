import type { Ledger } from '../../spec/model/parts.ts';
import { NOTHING_SPENT, type ReportedUsage, sum, type Usage, type UsageReport } from '../../spec/model/usage.ts';

/** What the books may get wrong; what is left out is done right. */
export interface LedgerFlaws {
  /** Whether usage is summed as it comes: checked for nothing, or only for being a number. */
  readonly checks?: 'nothing' | 'numbers';
  /** What an account reports as its own and as its total. */
  readonly figures?: (account: PlainLedger) => { own?: ReportedUsage | undefined; total?: ReportedUsage | undefined };
  /** Whether an account that was closed as failed counts for nothing above it. */
  readonly dropsFailures?: boolean;
  /** Whether a total is read when an account is opened and written when it is closed. */
  readonly overwrites?: boolean;
  /** Whether sub-agents' accounts are left out of the report. */
  readonly hidesChildren?: boolean;
}

/** Books of the plainest kind, right in all things but those that their flaws name. */
export class PlainLedger implements Ledger {
  readonly #flaws: LedgerFlaws;
  readonly #prompt: string;
  readonly #parent: PlainLedger | undefined;
  /** The total of the accounts above, as it was read when this one was opened. */
  readonly #base: Usage;
  readonly children: PlainLedger[] = [];
  own: Usage = NOTHING_SPENT;
  failed = false;
  closed: Usage = NOTHING_SPENT;

  constructor(flaws: LedgerFlaws, prompt: string, parent?: PlainLedger) {
    this.#flaws = flaws;
    this.#prompt = prompt;
    this.#parent = parent;
    this.#base = parent?.closed ?? NOTHING_SPENT;
  }

  record(usage: { readonly input: unknown; readonly output: unknown }): void {
    const { checks } = this.#flaws;
    const numbers = [usage.input, usage.output];
    const sound = numbers.every((n) => checks === 'nothing' || (typeof n === 'number' && (checks === 'numbers' || (Number.isFinite(n) && n >= 0))));
    if (sound) this.own = sum([this.own, usage as Usage]);
  }

  child(prompt: string): Ledger {
    const child = new PlainLedger(this.#flaws, prompt, this);
    this.children.push(child);
    return child;
  }

  close(ending: 'succeeded' | 'failed'): void {
    this.failed = ending === 'failed';
    if (this.#parent) this.#parent.closed = sum([this.#flaws.overwrites ? this.#base : this.#parent.closed, this.total]);
  }

  /** Its own and everything below. */
  get total(): Usage {
    if (this.#flaws.overwrites) return sum([this.own, this.closed]);
    return sum([this.own, ...this.children.filter(({ failed }) => !(failed && this.#flaws.dropsFailures)).map(({ total }) => total)]);
  }

  report(): UsageReport & { readonly prompt: string } {
    const { own, total } = this.#flaws.figures?.(this) ?? { own: this.own, total: this.total };
    return { prompt: this.#prompt, own, total, children: this.#flaws.hidesChildren ? [] : this.children.map((child) => child.report()) };
  }
}
