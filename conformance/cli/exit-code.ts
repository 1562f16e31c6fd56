import type { Compared } from '../baseline.ts';
import type { Certificate } from '../certificate.ts';

/** 0 certified, 1 violated beyond the baseline, 2 not decided, 3 faulted. */
export type ExitCode = 0 | 1 | 2 | 3;

/** What a certification comes to. A violation outweighs a fault, and a fault what was not decided. */
export function exitCodeOf({ verdicts, summary }: Pick<Certificate, 'verdicts' | 'summary'>, { fresh, stale }: Compared): ExitCode {
  if (fresh.length > 0 || stale.length > 0) return 1;
  if (summary.faulted > 0) return 3;
  if (summary.nondeterministic > 0) return 2;
  const undecided = verdicts.some(({ level, verdict }) => level === 'MUST' && verdict === 'inconclusive');
  const nothingJudged = verdicts.every(({ verdict }) => verdict === 'inapplicable' || verdict === 'inconclusive');
  return undecided || nothingJudged ? 2 : 0;
}
