import type { Ledger } from '../spec/model/parts.ts';
import type { Usage } from '../spec/model/usage.ts';

/** What a run spent, in tokens: by its own model calls, and with all that was done on its behalf. */
export interface AccountReport {
  readonly prompt: string;
  readonly own: Usage;
  readonly total: Usage;
  /** How many of its own model calls reported usage that could not be booked. */
  readonly refused: number;
  readonly ending: 'open' | 'succeeded' | 'failed';
  /** In the order in which they were opened. */
  readonly children: readonly AccountReport[];
}

/** A ledger whose report says also what was refused. */
export interface UsageLedger extends Ledger {
  child(prompt: string): UsageLedger;
  report(): AccountReport;
}

/** Makes the account of a run. */
export function createLedger(prompt: string): UsageLedger {
  return new Account(prompt);
}

class Account implements UsageLedger {
  readonly #prompt: string;
  readonly #children: Account[] = [];
  #input = 0;
  #output = 0;
  #refused = 0;
  #ending: AccountReport['ending'] = 'open';

  constructor(prompt: string) {
    this.#prompt = prompt;
  }

  /**
   * Books one model call, also after the account was closed: what is spent is spent.
   * @requirement usage.own-is-own
   * @requirement usage.malformed-is-refused
   * @requirement usage.bookkeeping-never-loses-the-answer
   */
  record({ input, output }: { readonly input: unknown; readonly output: unknown }): void {
    if (isTokens(input) && isTokens(output)) {
      this.#input += input;
      this.#output += output;
    } else {
      this.#refused += 1;
    }
  }

  /**
   * Opens an account that is this one's child, in an order that concurrent children cannot disturb.
   * @requirement usage.parallel-children-count
   */
  child(prompt: string): UsageLedger {
    const account = new Account(prompt);
    this.#children.push(account);
    return account;
  }

  close(ending: 'succeeded' | 'failed'): void {
    this.#ending = ending;
  }

  /** Adds the accounts up, now. Not recursive: a tree of accounts may be deeper than a call stack. */
  report(): AccountReport {
    const reports = new Map<Account, AccountReport>();
    for (const account of this.#fromTheLeaves()) {
      reports.set(account, account.#reportOver(account.#children.map((child) => reports.get(child) as AccountReport)));
    }
    return reports.get(this) as AccountReport;
  }

  /** Lists this account and all below it, each after its children. */
  #fromTheLeaves(): readonly Account[] {
    const found: Account[] = [];
    const waiting: Account[] = [this];
    for (let account = waiting.pop(); account; account = waiting.pop()) {
      found.push(account);
      for (const child of account.#children) waiting.push(child);
    }
    return found.reverse();
  }

  /**
   * Adds the children's totals to what was spent here.
   * @requirement usage.total-includes-descendants
   * @requirement usage.nothing-is-counted-twice
   */
  #reportOver(children: readonly AccountReport[]): AccountReport {
    const own = { input: this.#input, output: this.#output };
    const total = { ...own };
    for (const child of children) {
      total.input += child.total.input;
      total.output += child.total.output;
    }
    return { prompt: this.#prompt, own, total, refused: this.#refused, ending: this.#ending, children };
  }
}

/** Tells usage that can be booked from what a provider may send instead. */
export function isTokens(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
