import {
  aborts,
  accountsBelow,
  agentTasksOf,
  callsOf,
  compare,
  delegationsOf,
  inWords,
  hasOwnLimits,
  isLimited,
  recurses,
  runsSmoothly,
  settlementsOf,
  spentBy,
  spentUnder,
  startsOf,
  tasksOf,
} from './model/questions.ts';
import { depthOf, type Ref } from './model/ref.ts';
import { chapter, every } from './model/requirement.ts';
import type { Scenario } from './model/scenario.ts';
import { type Placed, seen, type Trace } from './model/trace.ts';

type Settlement = Placed<'run-settled'>;

const oneRun = (scenario: Scenario): boolean => scenario.runs.length === 1;
const delegates = (scenario: Scenario): boolean => callsOf(scenario).some(({ call }) => call.kind !== 'probe');
const isSound = (scenario: Scenario): boolean => agentTasksOf(scenario).every(({ task }) => task.usage === 'sound');
/** Some agent delegates several times in one turn, or a composite runs its parts at the same time. */
const delegatesInParallel = (scenario: Scenario): boolean =>
  tasksOf(scenario).some(({ task }) => task.kind === 'parallel' || task.kind === 'fanout') ||
  agentTasksOf(scenario).some(({ task }) => task.turns.some((turn) => turn.filter(({ kind }) => kind !== 'probe').length > 1));

const rootOf = ({ run }: Settlement): Ref => `r${run}`;

/** What a run's whole tree had spent when it was settled. */
const spentInAll = (trace: Trace, settlement: Settlement) => spentUnder(trace, rootOf(settlement), settlement.at);

/** Tells that a total falls short of what was spent, or says nothing. */
function short(trace: Trace, settlement: Settlement): string | false {
  const total = settlement.usage?.total;
  const spent = spentInAll(trace, settlement);
  if (!total) return `the run reports no total, and its tree spent ${inWords(spent)}`;
  const order = compare(total, spent);
  return (order === 'less' || order === 'other') && `the run reports a total of ${inWords(total)}, and its tree spent ${inWords(spent)}`;
}

/** Tells that a total is more than what was spent. */
function over(trace: Trace, settlement: Settlement): string | false {
  const total = settlement.usage?.total;
  const spent = spentInAll(trace, settlement);
  return !!total && compare(total, spent) === 'more' && `the run reports a total of ${inWords(total)}, and its tree spent only ${inWords(spent)}`;
}

export const usage = chapter(
  'usage',
  `Whoever delegates spends somebody else's tokens. Each agent has an account: its own model calls, and a total with
everything that was done on its behalf, however deep. Every call is in exactly one own account, and so in every total
above it once: also when the sub-agent failed, was cancelled or was stopped by a limit, for the tokens are gone all the
same. What a provider reports is checked before it is summed; and a mistake in the books never costs an answer.`,
  [
    {
      id: 'usage.own-is-own',
      level: 'MUST',
      text: "A run MUST report what its root agent's own model calls spent, apart from the total.",
      why: 'Without the two figures nobody can tell an expensive coordinator from expensive sub-agents.',
      source: 'seed 001, "make child usage and cost visible in parent rollups"; graph invariants 24 and 26',
      check: 'Is there one figure only? Are the sub-agents already in it?',
      needs: ['usage'],
      when: (scenario) => oneRun(scenario) && scenario.runs[0]?.kind === 'agent' && delegates(scenario) && runsSmoothly(scenario) && isSound(scenario),
      judge: (_, trace) =>
        every(settlementsOf(trace), (settlement) => {
          const spent = spentBy(trace, rootOf(settlement));
          const own = settlement.usage?.own;
          if (!own) return `the run does not report its root's own usage, which was ${inWords(spent)}`;
          return compare(own, spent) !== 'equal' && `the run reports ${inWords(own)} as its root's own, which was ${inWords(spent)}`;
        }),
    },
    {
      id: 'usage.total-includes-descendants',
      level: 'MUST',
      text: "A run's total MUST include the model calls of every sub-agent, at any depth.",
      why: 'The bill shows the coordinator and hides the nine tenths that its sub-agents spent.',
      source: 'seed 001, "parent rollups"; graph invariant 26; field bugs 25, 26, 27, 31',
      check: "Is a sub-agent's total added to its caller's when the tool that delegates returns?",
      needs: ['usage'],
      when: (scenario) => oneRun(scenario) && delegates(scenario) && !delegatesInParallel(scenario) && runsSmoothly(scenario) && isSound(scenario),
      judge: (_, trace) => every(settlementsOf(trace), (settlement) => short(trace, settlement)),
    },
    {
      id: 'usage.nothing-is-counted-twice',
      level: 'MUST',
      text: 'No model call MUST be counted more than once in a total.',
      why: 'A roll-up of roll-ups inflates the bill with every level, once 91 times.',
      source: 'graph notes A4, "a rollup computed by summing events double counts"; graph invariant 26; field bug 29',
      check: "Does a total add up its children's totals and also their children's?",
      needs: ['usage'],
      when: (scenario) => oneRun(scenario) && isSound(scenario),
      judge: (_, trace) =>
        every(
          settlementsOf(trace).filter(({ usage: account }) => account?.total),
          (settlement) => over(trace, settlement),
        ),
    },
    {
      id: 'usage.failed-children-count',
      level: 'MUST',
      text: 'What an agent spent before it failed MUST be in the totals above it, and in its own report.',
      why: 'The runs that fail are the ones that were tried three times.',
      source: 'graph invariants 9 and 19; in-process invariant 94; field bug 32',
      check: 'Is usage taken from the result of a successful run, or booked as each model call returns?',
      needs: ['usage'],
      when: (scenario) =>
        oneRun(scenario) &&
        isSound(scenario) &&
        !aborts(scenario) &&
        !recurses(scenario) &&
        agentTasksOf(scenario).some(({ task }) => task.ending === 'fail' && task.turns.length > 0),
      judge: (_, trace) =>
        every(
          settlementsOf(trace).filter(() => seen(trace, 'model-replied').some(({ reply }) => reply === 'failure')),
          (settlement) => short(trace, settlement),
        ),
    },
    {
      id: 'usage.cancelled-children-count',
      level: 'MUST',
      text: 'What was spent before a run was cancelled MUST be in its total.',
      why: 'Whoever cancels because it is too expensive is then told that it was free.',
      source: 'field bug 32; graph invariant 19',
      check: 'Does a cancelled run end in an exception that carries no usage?',
      needs: ['usage', 'abort'],
      when: (scenario) => oneRun(scenario) && isSound(scenario) && aborts(scenario),
      judge: (_, trace) =>
        every(
          settlementsOf(trace).filter(({ at }) => seen(trace, 'run-aborted').some((abort) => abort.at < at)),
          (settlement) => short(trace, settlement),
        ),
    },
    {
      id: 'usage.limit-stopped-children-count',
      level: 'MUST',
      text: 'What a chain of delegations spent before a limit stopped it MUST be in the totals above it.',
      why: 'A loop that was stopped in the end is the most expensive thing that happened all day.',
      source: 'graph invariant 19, "over-budget attempts"; field bug 32',
      check: 'Does the error of the limit pass by the place where usage is booked?',
      needs: ['usage', 'limits'],
      when: (scenario) => oneRun(scenario) && isSound(scenario) && !aborts(scenario) && !hasOwnLimits(scenario) && !!scenario.limits && recurses(scenario),
      judge: (scenario, trace) =>
        every(
          settlementsOf(trace).filter(() => delegationsOf(scenario, trace).some(({ refused }) => refused)),
          (settlement) => short(trace, settlement),
        ),
    },
    {
      id: 'usage.parallel-children-count',
      level: 'MUST',
      text: 'What sub-agents spend at the same time MUST be counted, each of them, however they interleave.',
      why: 'Read, add, write with a wait between: of five parallel children one is billed.',
      source: 'in-process invariant 94; field bug 27',
      check: 'Is a total read before a wait and written after it?',
      needs: ['usage', 'parallel'],
      when: (scenario) => oneRun(scenario) && delegatesInParallel(scenario) && runsSmoothly(scenario) && isSound(scenario),
      judge: (_, trace) => every(settlementsOf(trace), (settlement) => short(trace, settlement)),
    },
    {
      id: 'usage.malformed-is-refused',
      level: 'MUST',
      text: 'Usage that is not finite and non-negative MUST NOT be summed: totals MUST stay what the sound reports add up to.',
      why: 'One NaN from one provider, and every total above it is NaN for ever.',
      source: 'seed 004 by way of field bugs 34 and 39; graph notes, "records without total dropped"',
      check: 'Are the numbers of a model call checked before they are added?',
      needs: ['usage'],
      when: (scenario) => oneRun(scenario) && !isSound(scenario) && runsSmoothly(scenario),
      judge: (_, trace) =>
        every(settlementsOf(trace), (settlement) => {
          const total = settlement.usage?.total;
          const spent = spentInAll(trace, settlement);
          return (!total || compare(total, spent) !== 'equal') && `the run reports a total of ${inWords(total ?? null)}; the sound reports add up to ${inWords(spent)}`;
        }),
    },
    {
      id: 'usage.bookkeeping-never-loses-the-answer',
      level: 'MUST',
      text: 'An answer MUST reach whoever asked for it, whatever is wrong with the usage that came along.',
      why: 'The work is done and paid for, and then thrown away over a missing number.',
      source: 'field bugs 34 and 39; seed 004, usage validated at the boundary',
      check: 'Can booking throw, and does that error then count as the failure of the call?',
      needs: ['usage'],
      when: (scenario) => !isSound(scenario) && runsSmoothly(scenario) && !isLimited(scenario),
      judge: (scenario, trace) => {
        const lost = every(
          delegationsOf(scenario, trace),
          ({ callee, answered, result }) => !answered && `${callee} did its work, and whoever asked was told "${result?.text ?? 'nothing'}"`,
        );
        if (typeof lost === 'object') return lost;
        return every(settlementsOf(trace), ({ status }) => status !== 'completed' && `the run ended as ${status}, although every agent answered`);
      },
    },
    {
      id: 'usage.each-child-has-its-own-account',
      level: 'SHOULD',
      text: "A run SHOULD report each sub-agent's own usage and total, under the task that it was given.",
      why: 'A single sum does not say which sub-agent to fix.',
      source: 'seed 001, "child runs with their own … usage"; field bugs 26 and 27',
      check: 'Is there an account for each delegated call, with its own part and its total?',
      needs: ['usage'],
      when: (scenario) => oneRun(scenario) && isSound(scenario) && delegates(scenario) && runsSmoothly(scenario) && !isLimited(scenario),
      judge: (_, trace) =>
        every(
          settlementsOf(trace).filter(() => [...startsOf(trace).keys()].some((ref) => depthOf(ref) > 0)),
          (settlement) => unaccounted(trace, settlement),
        ),
    },
    {
      id: 'usage.concurrent-runs-are-billed-apart',
      level: 'MUST',
      text: 'What one run spends MUST NOT be in the total of another that goes on at the same time.',
      why: "One customer pays for another's request.",
      source: 'in-process invariant 72; field bug 16',
      check: 'Is usage kept on anything that runs share: an agent, a model, a module?',
      needs: ['usage'],
      when: (scenario) => scenario.runs.length > 1 && !scenario.inTurn && isSound(scenario) && runsSmoothly(scenario),
      judge: (_, trace) =>
        every(
          settlementsOf(trace).filter(({ usage: account }) => account?.total),
          (settlement) => over(trace, settlement),
        ),
    },
  ],
);

/** The first sub-agent that has no account, or one with wrong figures. */
function unaccounted(trace: Trace, { usage: account }: Settlement): string | false {
  const accounts = new Map((account ? accountsBelow(account) : []).map((its) => [its.task, its]));
  for (const ref of startsOf(trace).keys()) {
    if (depthOf(ref) === 0) continue;
    const its = accounts.get(ref);
    if (!its?.own || !its.total) return `${ref} has no account of its own`;
    if (compare(its.own, spentBy(trace, ref)) !== 'equal') return `the account of ${ref} says it spent ${inWords(its.own)} itself; it was ${inWords(spentBy(trace, ref))}`;
    if (compare(its.total, spentUnder(trace, ref)) !== 'equal') return `the account of ${ref} has a total of ${inWords(its.total)}; it was ${inWords(spentUnder(trace, ref))}`;
  }
  return false;
}
