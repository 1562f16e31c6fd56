import fc from 'fast-check';
import type { HostKind, Scenario } from '../../../spec/model/scenario.ts';
import type { Family } from '../family.ts';
import { anyOp, schedule, task } from '../tasks.ts';
import { scenario } from '../words.ts';

/** A plain value goes down every way. */
const hosts: fc.Arbitrary<Scenario> = fc.record({ root: task({ depth: 3, op: anyOp, width: 2 }), schedule }).map(({ root, ...rest }) => scenario([root], rest));

/** Values that a runtime might not take for one, or none at all. */
const strangeHosts = (...kinds: readonly HostKind[]): fc.Arbitrary<Scenario> =>
  fc.record({ root: task({ depth: 2, op: anyOp, width: 2 }), host: fc.constantFrom(...kinds), schedule }).map(({ root, ...rest }) => scenario([root], rest));

/** A team that was built with a value and dependencies in it. */
const built: fc.Arbitrary<Scenario> = fc.record({ root: task({ depth: 2, op: anyOp, width: 2 }), schedule }).map(({ root, ...rest }) => scenario([root], { built: true, ...rest }));

/** One team, two callers at the same time. */
const concurrent: fc.Arbitrary<Scenario> = fc
  .record({ one: task({ depth: 2, op: anyOp, width: 2 }, fc.constant('planner')), two: task({ depth: 2, op: anyOp, width: 2 }, fc.constant('planner')), schedule })
  .map(({ one, two, ...rest }) => scenario([one, two], rest));

/** Values of callers, on their way down. */
export const hostFamilies: readonly Family[] = [
  { share: 5, arbitrary: hosts },
  { share: 6, arbitrary: strangeHosts('frozen', 'function', 'symbol') },
  { share: 3, arbitrary: strangeHosts('tripwire') },
  { share: 4, arbitrary: strangeHosts('none') },
  { share: 5, arbitrary: built },
  { share: 6, arbitrary: concurrent },
];
