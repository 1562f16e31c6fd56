import fc from 'fast-check';
import { opsOf } from '../../../spec/model/questions.ts';
import type { CompositeTask, Op, Scenario } from '../../../spec/model/scenario.ts';
import type { Family } from '../family.ts';
import { pass, schedule, task } from '../tasks.ts';
import { agentTask, compositeTask, delegate, probe, scenario } from '../words.ts';

const modelsWait = fc.constantFrom({ modelsWait: true as const }, {});

/** A caller who aborts: from a tool that is under way, before the run begins, or when nothing moves for the nth time. */
const aborted: fc.Arbitrary<Scenario> = fc
  .record({
    root: task({ depth: 2, op: fc.constantFrom<Op>({ kind: 'pass' }, { kind: 'pass' }, { kind: 'abort' }), width: 2 }),
    after: fc.constantFrom(undefined, undefined, 0, 1, 2, 3),
    waiting: modelsWait,
    schedule,
  })
  .map(({ root, after, waiting, ...rest }) => {
    const found = scenario([root], { ...waiting, ...rest });
    const abortAfter = after ?? (opsOf(found).some(({ op }) => op.kind === 'abort') ? undefined : 1);
    return abortAfter === undefined ? found : { ...found, abortAfter };
  });

const hang = probe({ kind: 'hang' });

/** Work that never ends by itself, at several depths at once. */
const hanging: fc.Arbitrary<Scenario> = fc
  .record({
    beside: fc.constantFrom([hang], [hang], [probe({ kind: 'pass' })], []),
    deepest: fc.constantFrom(agentTask('critic', [], { ending: 'hang' }), agentTask('critic', [[hang]]), agentTask('critic', [[hang, hang]])),
    depth: fc.constantFrom(1, 2, 2),
    root: fc.constantFrom<'answer' | 'hang'>('answer', 'answer', 'answer', 'hang'),
    abortAfter: fc.integer({ min: 1, max: 3 }),
    waiting: modelsWait,
    schedule,
  })
  .map(({ beside, deepest, depth, root, abortAfter, waiting, ...rest }) => {
    const below = depth === 1 ? deepest : agentTask('writer', [[delegate(deepest), probe({ kind: 'pass' })]]);
    const turns = root === 'hang' ? [] : [[delegate(below), ...beside]];
    return scenario([agentTask('planner', turns, { ending: root })], { abortAfter, ...waiting, ...rest });
  });

/** Composites that are under way, with a tool in one part and a model in another. */
const inComposites: fc.Arbitrary<Scenario> = fc
  .record({
    kind: fc.constantFrom<CompositeTask['kind']>('parallel', 'parallel', 'parallel', 'fanout', 'fanout', 'sequence'),
    parts: fc.shuffledSubarray([agentTask('scout', [[hang]]), agentTask('scout', [], { ending: 'hang' })], { minLength: 2 }),
    abortAfter: fc.integer({ min: 1, max: 3 }),
    waiting: modelsWait,
    schedule,
  })
  .map(({ kind, parts, abortAfter, waiting, ...rest }) => scenario([compositeTask(kind, parts)], { abortAfter, ...waiting, ...rest }));

/** Two callers, of whom the first aborts. */
const oneOfTwo: fc.Arbitrary<Scenario> = fc
  .record({
    one: task({ depth: 1, op: pass, width: 2 }, fc.constant('planner')),
    two: task({ depth: 1, op: pass, width: 2 }, fc.constant('planner')),
    waiting: modelsWait,
    schedule,
  })
  .map(({ one, two, waiting, ...rest }) => scenario([one, two], { abortAfter: 1, ...waiting, ...rest }));

/** Sub-agents with a time limit, some of whom do not come to an end, beside each other and below each other. */
const timed: fc.Arbitrary<Scenario> = fc
  .record({
    stuck: fc.constantFrom(agentTask('writer', [], { ending: 'hang' }), agentTask('writer', [[hang]]), agentTask('writer', [[delegate(agentTask('critic', [[hang]]))]])),
    beside: fc.constantFrom(agentTask('scout', [], { ending: 'hang' }), agentTask('scout', [[hang], [probe({ kind: 'pass' })]]), agentTask('scout', [[probe({ kind: 'pass' })]])),
    more: fc.constantFrom([probe({ kind: 'pass' })], []),
    inner: fc.constantFrom({}, { critic: { timeout: 5 } }, { critic: { timeout: 500 } }),
    schedule,
  })
  .map(({ stuck, beside, more, inner, ...rest }) =>
    scenario([agentTask('planner', [[delegate(stuck), delegate(beside), ...more], [probe({ kind: 'pass' })]])], {
      agents: { writer: { timeout: 50 }, scout: { timeout: 100 }, ...(JSON.stringify(stuck).includes('critic') ? inner : {}) },
      ...rest,
    }),
  );

/** Runs that are ended from outside. */
export const cancellationFamilies: readonly Family[] = [
  { share: 4, arbitrary: aborted, needs: ['abort'] },
  { share: 3, arbitrary: hanging, needs: ['abort'] },
  { share: 2, arbitrary: inComposites, needs: ['abort', 'composites'] },
  { share: 2, arbitrary: timed, needs: ['timeouts'] },
  { share: 2, arbitrary: oneOfTwo, needs: ['abort'] },
];
