import fc from 'fast-check';
import type { CompositeTask, Scenario, SlotName } from '../../../spec/model/scenario.ts';
import type { Family } from '../family.ts';
import { composite, type Material, padOps, schedule, task } from '../tasks.ts';
import { agentTask, delegate, probe, scenario } from '../words.ts';

/** State, in calls above, below and beside each other. */
const pads: fc.Arbitrary<Scenario> = fc
  .record({
    root: fc
      .tuple(fc.constantFrom<SlotName>('log', 'draft', 'notes'), fc.integer({ min: 2, max: 3 }))
      .chain(([slot, depth]) => task({ depth, op: padOps(slot), width: depth === 2 ? 3 : 2 })),
    schedule,
  })
  .map(({ root, ...rest }) => scenario([root], rest));

/** Two calls, of one turn or of two, to the same sub-agent or to two, that write and read the same slot. */
const siblings: fc.Arbitrary<Scenario> = fc
  .record({
    slot: fc.constantFrom<SlotName>('log', 'draft', 'notes'),
    agents: fc.constantFrom(['writer', 'writer'], ['writer', 'critic']),
    together: fc.constantFrom(true, true, false),
    before: fc.boolean(),
    after: fc.boolean(),
    schedule,
  })
  .map(({ slot, agents, together, before, after, ...rest }) => {
    const [append, read] = [probe({ kind: 'append', slot }), probe({ kind: 'read', slot })];
    const calls = agents.map((agent) => delegate(agentTask(agent, [[append], [read]])));
    return scenario([agentTask('planner', [...(before ? [[append]] : []), ...(together ? [calls] : calls.map((call) => [call])), ...(after ? [[read]] : [])])], rest);
  });

/** A sequence around a parallel composite: something before, the branches, and a look at what came of them. */
const merges = (...slots: readonly SlotName[]): fc.Arbitrary<Scenario> =>
  fc.constantFrom(...slots).chain((slot) => {
    const material: Material = { depth: 0, op: padOps(slot) };
    const branch = fc.oneof(
      { weight: 4, arbitrary: task({ ...material, ending: fc.constantFrom('answer', 'fail') }) },
      { weight: 1, arbitrary: task({ ...material, depth: 1 }) },
      { weight: 1, arbitrary: composite('parallel', fc.array(task(material), { minLength: 2, maxLength: 2 })) },
      { weight: 1, arbitrary: composite('sequence', fc.array(task(material), { minLength: 2, maxLength: 2 })) },
    );
    const branches = fc.oneof(
      composite('parallel', fc.array(branch, { minLength: 2, maxLength: 3 })),
      composite('fanout', fc.array(task({ ...material, ending: fc.constantFrom('answer', 'fail') }, fc.constant('scout')), { minLength: 2, maxLength: 3 })),
    );
    const look = agentTask('critic', [[probe({ kind: 'read', slot })]]);
    const before = fc.option(fc.oneof(task(material), fc.constant(agentTask('planner', [[probe({ kind: 'append', slot })]]))));
    return fc.record({ before, branches, under: fc.boolean(), schedule }).map(({ before: first, branches: middle, under, ...rest }) => {
      const whole: CompositeTask = { kind: 'sequence', parts: [...(first ? [first] : []), middle, look], times: 1 };
      return scenario([under ? agentTask('planner', [[delegate(whole)]]) : whole], rest);
    });
  });

/** A loop, whose iterations go on with what the ones before left. */
const loops: fc.Arbitrary<Scenario> = fc
  .record({ body: fc.constantFrom<SlotName>('draft', 'log').chain((slot) => task({ depth: 0, op: padOps(slot) })), times: fc.integer({ min: 1, max: 3 }), schedule })
  .map(({ body, times, ...rest }) => scenario([{ kind: 'loop', parts: [body], times }], rest));

/** State, shared and private. */
export const forkFamilies: readonly Family[] = [
  { share: 8, arbitrary: pads, needs: ['scratchpad'] },
  { share: 11, arbitrary: siblings, needs: ['scratchpad'] },
  { share: 10, arbitrary: merges('notes'), needs: ['scratchpad', 'composites'] },
  { share: 7, arbitrary: merges('draft', 'log'), needs: ['scratchpad', 'composites'] },
  { share: 4, arbitrary: loops, needs: ['scratchpad', 'composites'] },
];
