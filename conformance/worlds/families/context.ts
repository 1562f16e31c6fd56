import fc from 'fast-check';
import type { CompositeTask, Scenario, Task } from '../../../spec/model/scenario.ts';
import type { Family } from '../family.ts';
import { anyone, anyOp, composite, schedule, task } from '../tasks.ts';
import { agentTask, delegate, scenario } from '../words.ts';

/** Values, dependencies and state in the parts of composites. */
const inComposites: fc.Arbitrary<Scenario> = fc
  .record({
    whole: fc.constantFrom<CompositeTask['kind']>('sequence', 'parallel', 'fanout', 'loop').chain((kind) => composite(kind, partsOf(kind))),
    under: fc.boolean(),
    schedule,
  })
  .map(({ whole, under, ...rest }) => scenario([under ? agentTask('planner', [[delegate(whole)]]) : whole], rest));

/** A fan-out and a loop have one part, which may be there several times. */
function partsOf(kind: CompositeTask['kind']): fc.Arbitrary<readonly Task[]> {
  const many = kind === 'loop' ? 1 : 2;
  return fc.array(task({ depth: 1, op: anyOp, width: 2 }, kind === 'fanout' ? fc.constant('scout') : anyone), { minLength: many, maxLength: many });
}

/** What travels with a run, through composites. */
export const contextFamilies: readonly Family[] = [{ share: 4, arbitrary: inComposites, needs: ['composites'] }];
