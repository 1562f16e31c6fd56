import type { MutableAdapter } from '../../spec/model/parts.ts';
import type { Adapter, RunOutcome } from '../../spec/model/ports.ts';
import { sum, type Usage, type UsageReport } from '../../spec/model/usage.ts';
import type { usage } from '../../spec/usage.ts';
import { asking, billedBy, type Mutant, type MutantsOf, running } from '../mutant.ts';
import { CountingGuard } from './counting-guard.ts';
import { type LedgerFlaws, PlainLedger } from './plain-ledger.ts';

type Id = (typeof usage)['requirements'][number]['id'];

/** A mutant whose books have one flaw. */
function bills(what: string, flaws: LedgerFlaws, alsoBreaks: Mutant['alsoBreaks'] = []): Mutant {
  return { what, alsoBreaks, of: (adapter) => billedBy(adapter, (prompt) => new PlainLedger(flaws, prompt)) };
}

/** A mutant that changes what the runtime says a run spent. */
function reports(what: string, change: (outcome: RunOutcome) => UsageReport | undefined, alsoBreaks: Mutant['alsoBreaks'] = []): Mutant {
  return { what, alsoBreaks, of: (adapter) => running(adapter, () => ({ after: (outcome) => ({ ...outcome, usage: outcome.usage && change(outcome) }) })) };
}

/** Every requirement that needs what sub-agents spent in the total. */
const EVERY_TOTAL = [
  'usage.total-includes-descendants',
  'usage.parallel-children-count',
  'usage.failed-children-count',
  'usage.cancelled-children-count',
  'usage.limit-stopped-children-count',
  'usage.malformed-is-refused',
] as const;

export const usageMutants: MutantsOf<Id> = {
  'usage.own-is-own': [
    reports("reports the total as the root's own", ({ usage: report }) => ({ ...report, own: report?.total })),
    reports('reports one figure only', ({ usage: report }) => ({ ...report, own: undefined })),
  ],
  'usage.total-includes-descendants': [
    reports('leaves sub-agents out of the total', ({ usage: report }) => ({ ...report, total: report?.own }), EVERY_TOTAL),
    bills('adds up one level of sub-agents only', { figures: (account) => ({ own: account.own, total: sum([account.own, ...account.children.map(({ own }) => own)]) }) }, [
      ...EVERY_TOTAL,
      'usage.each-child-has-its-own-account',
    ]),
  ],
  'usage.nothing-is-counted-twice': [
    bills(
      'adds up totals of children and again of theirs',
      { figures: (account) => ({ own: account.own, total: sum([account.total, ...account.children.flatMap(({ children }) => children.map(({ total }) => total))]) }) },
      ['usage.concurrent-runs-are-billed-apart', 'usage.malformed-is-refused', 'usage.each-child-has-its-own-account'],
    ),
    reports(
      'counts each sub-agent once by event and once by report',
      ({ usage: report }) => ({ ...report, total: report && sum([report.total as Usage, ...(report.children ?? []).map(({ total }) => total as Usage)]) }),
      ['usage.concurrent-runs-are-billed-apart', 'usage.malformed-is-refused'],
    ),
  ],
  'usage.failed-children-count': [
    bills('books a sub-agent only when it succeeds', { dropsFailures: true }, ['usage.cancelled-children-count', 'usage.limit-stopped-children-count']),
    reports('reports nothing for a run that failed', ({ status, usage: report }) => (status === 'failed' ? undefined : report)),
  ],
  'usage.cancelled-children-count': [reports('reports nothing for a run that was cancelled', ({ status, usage: report }) => (status === 'cancelled' ? undefined : report))],
  'usage.limit-stopped-children-count': [
    {
      what: 'forgets what a chain spent when a limit stops it',
      of: forgettingStopped,
      alsoBreaks: ['usage.total-includes-descendants', 'usage.parallel-children-count', 'usage.failed-children-count'],
    },
  ],
  'usage.parallel-children-count': [
    bills('reads a total when a sub-agent starts, and writes it when it ends', { overwrites: true }, [
      'usage.malformed-is-refused',
      'usage.each-child-has-its-own-account',
      'usage.failed-children-count',
      'usage.cancelled-children-count',
      'usage.limit-stopped-children-count',
    ]),
  ],
  'usage.malformed-is-refused': [
    bills('sums whatever a provider reports', { checks: 'nothing' }),
    bills('accepts every number, also negative ones and NaN', { checks: 'numbers' }),
  ],
  'usage.bookkeeping-never-loses-the-answer': [{ what: 'fails a call whose usage cannot be booked', of: failingOnNonsense, alsoBreaks: ['usage.malformed-is-refused'] }],
  'usage.each-child-has-its-own-account': [
    bills('reports no accounts of sub-agents', { hidesChildren: true }),
    reports(
      "reports a sub-agent's total as its own",
      ({ usage: report }) => report && { ...report, children: (report.children ?? []).map((child) => ({ ...child, own: child.total, total: child.own })) },
    ),
  ],
  'usage.concurrent-runs-are-billed-apart': [{ what: 'keeps one account for all runs of a team', of: sharingTheBooks }],
};

/** Reports only the root's own usage for a run in which something was refused. */
function forgettingStopped(adapter: MutableAdapter): Adapter {
  let stopped = false;
  const guarded = adapter.withParts(() => ({
    createGuard: (limits) => {
      stopped = false;
      return new CountingGuard(
        { words: ({ kind, limit, depth, chain }) => ((stopped = true), `Refused: the ${kind} limit of ${limit} is reached at depth ${depth} (${chain.join(', ')}).`) },
        limits,
      );
    },
  }));
  return running(guarded, () => ({ after: (outcome) => (stopped ? { ...outcome, usage: { ...outcome.usage, total: outcome.usage?.own } } : outcome) }));
}

function failingOnNonsense(adapter: MutableAdapter): Adapter {
  return asking(adapter, () => async (ask, options) => {
    const result = await ask(options);
    const figures: unknown[] = [result.usage.inputTokens.total, result.usage.outputTokens.total];
    if (!figures.every((n) => typeof n === 'number' && Number.isFinite(n) && n >= 0)) throw new Error('The usage cannot be booked.');
    return result;
  });
}

/** Adds what earlier runs of the team spent to the total of each that ends after them. */
function sharingTheBooks(adapter: MutableAdapter): Adapter {
  return running(adapter, () => {
    let before: Usage | undefined;
    return {
      after: (outcome) => {
        const total = outcome.usage?.total as Usage | undefined;
        if (!total) return outcome;
        const all = before ? sum([before, total]) : total;
        before = all;
        return { ...outcome, usage: { ...outcome.usage, total: all } };
      },
    };
  });
}
