import fc from 'fast-check';
import { type Scenario, USAGE_KINDS } from '../../../spec/model/scenario.ts';
import type { Family } from '../family.ts';
import { pass, schedule, task } from '../tasks.ts';
import { scenario } from '../words.ts';

/** What a tree costs, when all goes well and when some fail. */
const spending: fc.Arbitrary<Scenario> = fc
  .record({ root: task({ depth: 3, op: pass, width: 2, oneAtATime: true, ending: fc.constantFrom('answer', 'answer', 'answer', 'answer', 'fail') }), schedule })
  .map(({ root, ...rest }) => scenario([root], rest));

const spendingTogether: fc.Arbitrary<Scenario> = fc
  .record({ root: task({ depth: 2, op: pass, ending: fc.constantFrom('answer', 'answer', 'answer', 'answer', 'answer', 'fail') }), schedule })
  .map(({ root, ...rest }) => scenario([root], rest));

/** Providers that report nonsense. */
const spoilt: fc.Arbitrary<Scenario> = fc
  .record({ root: task({ depth: 2, op: pass, width: 2, usage: fc.constantFrom('sound', 'sound', ...USAGE_KINDS) }), schedule })
  .map(({ root, ...rest }) => scenario([root], rest));

/** What runs spend. */
export const usageFamilies: readonly Family[] = [
  { share: 5, arbitrary: spending },
  { share: 5, arbitrary: spendingTogether },
  { share: 6, arbitrary: spoilt },
];
