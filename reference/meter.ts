import type { Ledger } from '../spec/model/parts.ts';
import type { Usage } from '../spec/model/usage.ts';
import { isTokens } from './usage.ts';

/** An account that can say at once what was booked on it, where its report adds up all that is below. */
export interface Meter extends Ledger {
  /** Undefined as long as nothing is booked. */
  spent(): Usage | undefined;
}

/** Reads along what is booked on an account. */
export function meterOf(ledger: Ledger): Meter {
  let spent: Usage | undefined;
  return {
    spent: () => spent,
    record(usage) {
      ledger.record(usage);
      const { input, output } = usage;
      if (isTokens(input) && isTokens(output)) spent = { input: (spent?.input ?? 0) + input, output: (spent?.output ?? 0) + output };
    },
    child: (prompt) => ledger.child(prompt),
    close: (ending) => ledger.close(ending),
    report: () => ledger.report(),
  };
}
