import fc from 'fast-check';
import type { AgentTask, HostKind, Scenario } from '../../../spec/model/scenario.ts';
import type { Family } from '../family.ts';
import { anyOp, schedule, task } from '../tasks.ts';
import { probe, scenario } from '../words.ts';

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
  .map(({ one, two, ...rest }) => scenario([one, two].map(lookingUp), rest));

/** The same, after a look at what its caller bound. */
function lookingUp(found: AgentTask): AgentTask {
  return { ...found, turns: [[probe({ kind: 'dep', key: 'clock' })], ...found.turns] };
}

/** Values of callers, on their way down. */
export const hostFamilies: readonly Family[] = [
  { share: 5, arbitrary: hosts },
  { share: 6, arbitrary: strangeHosts('frozen', 'function', 'symbol') },
  { share: 3, arbitrary: strangeHosts('tripwire') },
  { share: 4, arbitrary: strangeHosts('none') },
  { share: 5, arbitrary: built },
  { share: 6, arbitrary: concurrent },
];
