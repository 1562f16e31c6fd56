import fc from 'fast-check';
import type { AgentSettings, CompositeTask, Op, RunnerName, Scenario, Task } from '../../../spec/model/scenario.ts';
import type { Family } from '../family.ts';
import { anyone, composite, schedule, task } from '../tasks.ts';
import { agentTask, compositeTask, delegate, probe, scenario } from '../words.ts';

const kinds = fc.constantFrom<CompositeTask['kind']>('sequence', 'parallel', 'fanout', 'loop');

/** Values, dependencies and state in the parts of composites. */
const inComposites: fc.Arbitrary<Scenario> = fc
  .record({ whole: kinds.chain((kind) => composite(kind, partsOf(kind))), under: fc.boolean(), schedule })
  .map(({ whole, under, ...rest }) => scenario([under ? compositeTask('sequence', [agentTask('planner', [[look], [delegate(whole)]])]) : whole], rest));

const look = probe({ kind: 'dep', key: 'clock' });

/** All that a composite hands on. */
const anythingGiven: fc.Arbitrary<Op> = fc.constantFrom<Op>(
  { kind: 'pass' },
  { kind: 'dep', key: 'clock' },
  { kind: 'dep', key: 'clock' },
  { kind: 'append', slot: 'log' },
  { kind: 'read', slot: 'log' },
  { kind: 'fail' },
);

/** A fan-out and a loop have one part, which may be there several times. */
function partsOf(kind: CompositeTask['kind']): fc.Arbitrary<readonly Task[]> {
  const many = kind === 'loop' ? 1 : 2;
  return fc.array(task({ depth: 1, op: anythingGiven, width: 2 }, kind === 'fanout' ? fc.constant('scout') : anyone), { minLength: many, maxLength: many });
}

/** One composite that two callers run at the same time, and another that is delegated to in both runs. */
const concurrently: fc.Arbitrary<Scenario> = fc.record({ kind: fc.constantFrom<CompositeTask['kind']>('parallel', 'fanout', 'sequence'), schedule }).map(({ kind, ...rest }) => {
  const whole = compositeTask(
    kind,
    [0, 1].map(() => agentTask('scout', [[probe({ kind: 'pass' })]])),
  );
  const root = compositeTask('sequence', [agentTask('planner', [[delegate(whole)]])]);
  return scenario([root, root], rest);
});

/** A composite that is aborted while its first part is under way. */
const aborted: fc.Arbitrary<Scenario> = fc
  .record({ kind: fc.constantFrom<CompositeTask['kind']>('sequence', 'loop'), under: fc.boolean(), after: fc.integer({ min: 1, max: 2 }), schedule })
  .map(({ kind, under, after, ...rest }) => {
    const part = agentTask('writer', [[probe({ kind: 'pass' })], [probe({ kind: 'pass' })]]);
    const whole = compositeTask(kind, kind === 'loop' ? [part] : [part, { ...part, agent: 'critic' }], { times: kind === 'loop' ? 2 : 1 });
    return scenario([under ? agentTask('planner', [[delegate(whole)]]) : whole], { abortAfter: after, ...rest });
  });

/**
 * A composite on one runner, in it one on another and one that names none, and after all of them somebody who has nothing
 * to do with either runner. Of the agents one names a runner, one answers in a structure, and one has another model.
 */
const onRunners: fc.Arbitrary<Scenario> = fc
  .record({
    outer: fc.constantFrom<CompositeTask['kind']>('sequence', 'parallel'),
    inner: kinds,
    runners: fc.constantFrom<readonly [RunnerName, RunnerName]>(['blue', 'green'], ['green', 'blue'], ['blue', 'plain']),
    own: fc.constantFrom(true, true, true, false),
    overridden: fc.constantFrom('critic', 'scout'),
    under: fc.boolean(),
    schedule,
  })
  .map(({ outer, inner, runners: [wide, narrow], own, overridden, under, ...rest }) => {
    const runner = narrow === 'plain' ? 'green' : narrow;
    const agents: Record<string, AgentSettings> = { critic: { runner }, scout: { output: 'structured', ...(own && { runner }) } };
    const [busy, idle] = [(agent: string) => agentTask(agent, [[probe({ kind: 'pass' })]]), (agent: string) => agentTask(agent, [])];
    const inside = inner === 'loop' || inner === 'fanout' ? [busy('writer')] : [busy('writer'), busy('scout')];
    const parts = [busy('critic'), compositeTask(inner, inside, { runner: narrow, times: inner === 'loop' ? 2 : 1 }), compositeTask('sequence', [idle('scout'), idle('writer')])];
    const whole = compositeTask('sequence', [compositeTask(outer, parts, { runner: wide }), idle('writer'), idle('scout')]);
    return scenario([under ? agentTask('planner', [[delegate(whole)]]) : whole], { agents: { ...agents, [overridden]: { ...agents[overridden], model: 'override' } }, ...rest });
  });

/** Agents that have to answer in a structure and are to run where there is none: one that is run, or two that are delegated to. */
const unable: fc.Arbitrary<Scenario> = fc
  .record({ alone: fc.constantFrom(true, false, false, false), kind: fc.constantFrom<CompositeTask['kind']>('sequence', 'parallel', 'loop'), together: fc.boolean(), schedule })
  .map(({ alone, kind, together, ...rest }) => {
    const [writer, critic] = [agentTask('writer', [[probe({ kind: 'pass' })]]), agentTask('critic', [])];
    const ways = [delegate(writer), delegate(compositeTask(kind, [critic], { runner: 'plain' }))];
    const root = alone ? writer : agentTask('planner', together ? [ways] : ways.map((way) => [way]));
    return scenario([root], { agents: { writer: { output: 'structured', runner: 'plain' }, ...(alone ? {} : { critic: { output: 'structured' } }) }, ...rest });
  });

/** What travels with a run, through composites. */
export const contextFamilies: readonly Family[] = [
  { share: 4, arbitrary: inComposites, needs: ['composites'] },
  { share: 2, arbitrary: concurrently, needs: ['composites'] },
  { share: 2, arbitrary: aborted, needs: ['composites', 'abort'] },
  { share: 4, arbitrary: onRunners, needs: ['composites', 'runners', 'structured'] },
  { share: 2, arbitrary: unable, needs: ['composites', 'runners', 'structured'] },
];
