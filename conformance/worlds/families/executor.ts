import fc from 'fast-check';
import type { Call, CompositeTask, Op, Scenario } from '../../../spec/model/scenario.ts';
import type { Family } from '../family.ts';
import { schedule } from '../tasks.ts';
import { agentTask, compositeTask, delegate, probe, scenario } from '../words.ts';

const pass: Op = { kind: 'pass' };

/** Agents with tools of one name and tools of their own, and models that call those of everybody above and below them, too. */
const reaching = (under: fc.Arbitrary<CompositeTask['kind'] | undefined>): fc.Arbitrary<Scenario> =>
  fc.record({ under, together: fc.boolean(), schedule }).map(({ under: kind, together, ...rest }) => {
    const all = [probe(pass), ...['planner', 'writer', 'critic'].map((of): Call => ({ kind: 'probe', op: pass, of }))];
    const writer = agentTask('writer', [all, [delegate(agentTask('critic', [all]))]]);
    const below = delegate(kind ? compositeTask(kind, [writer, agentTask('scout', [])]) : writer);
    return scenario([agentTask('planner', [...(together ? [[...all, below]] : [all, [below]]), [probe(pass)]])], rest);
  });

/** An agent that has no tools, and a model that calls one. */
const bare: fc.Arbitrary<Scenario> = fc.record({ calls: fc.boolean(), schedule }).map(({ calls, ...rest }) => {
  const writer = agentTask('writer', calls ? [[probe(pass)]] : []);
  return scenario([agentTask('planner', [[probe(pass), delegate(writer)]])], { agents: { writer: { tools: 'none' } }, ...rest });
});

/** An agent that runs on another model. */
const overridden: fc.Arbitrary<Scenario> = fc.record({ who: fc.constantFrom('planner', 'writer'), schedule }).map(({ who, ...rest }) => {
  const writer = agentTask('writer', [[probe(pass), { kind: 'probe', op: pass, of: 'writer' }]]);
  return scenario([agentTask('planner', [[probe(pass), delegate(writer)]])], { agents: { [who]: { model: 'override' } }, ...rest });
});

/** Whose tools are called. */
export const executorFamilies: readonly Family[] = [
  { share: 2, arbitrary: reaching(fc.constant(undefined)) },
  { share: 1, arbitrary: reaching(fc.constantFrom('sequence', 'parallel')), needs: ['composites'] },
  { share: 2, arbitrary: bare },
  { share: 2, arbitrary: overridden, needs: ['runners'] },
];
