import fc from 'fast-check';
import {
  AGENTS,
  type AgentSettings,
  type AgentTask,
  type Call,
  type CompositeTask,
  type Failure,
  FAILURES,
  MALFORMATIONS,
  type Op,
  type Scenario,
  type Turn,
} from '../../../spec/model/scenario.ts';
import type { Family } from '../family.ts';
import { anyone, schedule } from '../tasks.ts';
import { agentTask, compositeTask, delegate, probe, scenario } from '../words.ts';

/** Errors mostly, and whatever else can be thrown. */
const anyThrown: fc.Arbitrary<Failure> = fc.constantFrom('error', 'error', ...FAILURES);
const failing: fc.Arbitrary<Op> = anyThrown.map((how) => (how === 'error' ? { kind: 'fail' } : { kind: 'fail', how }));
const step: fc.Arbitrary<Call> = fc.oneof(fc.constant(probe({ kind: 'pass' })), failing.map(probe));

/** How an agent ends: with an answer, at times an odd one, or by failing. */
const ending: fc.Arbitrary<Partial<AgentTask>> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: anyThrown.map((how) => (how === 'error' ? { ending: 'fail' as const } : { ending: 'fail' as const, failure: how })) },
  { weight: 1, arbitrary: fc.constantFrom({ answer: 'empty' as const }, { answer: 'huge' as const }) },
);

const subAgent: fc.Arbitrary<AgentTask> = fc.record({ agent: anyone, calls: fc.array(step, { maxLength: 2 }), how: ending }).map(({ agent, calls, how }) =>
  agentTask(
    agent,
    calls.map((call) => [call]),
    how,
  ),
);

/** An agent whose first turn is given, and who goes on with calls of which some fail. */
const failures = (first: fc.Arbitrary<Turn>, how: fc.Arbitrary<Partial<AgentTask>> = ending): fc.Arbitrary<Scenario> => {
  const call = fc.oneof(step, subAgent.map(delegate));
  return fc
    .record({ first, turns: fc.array(fc.array(call, { minLength: 1, maxLength: 3 }), { maxLength: 2 }), how, schedule })
    .map(({ first: one, turns, how: end, ...rest }) => scenario([agentTask('planner', [one, ...turns], end)], rest));
};

/** Calls that fail, beside others. */
const anyFailures = failures(fc.tuple(failing.map(probe), subAgent.map(delegate), step));

/** What fails with everything but an error; and so does the agent that is run, in the end. */
const oddFailures = (...how: readonly Partial<AgentTask>[]): fc.Arbitrary<Scenario> =>
  failures(
    fc.constant([
      probe({ kind: 'fail', how: 'nothing' }),
      probe({ kind: 'fail', how: 'string' }),
      probe({ kind: 'fail', how: 'abort-shaped' }),
      delegate(agentTask('writer', [], { ending: 'fail', failure: 'abort-shaped' })),
      delegate(agentTask('critic', [], { ending: 'fail', failure: 'string' })),
    ]),
    fc.constantFrom(...how),
  );

/** Arguments that a tool cannot take; and answers of all lengths. */
const oddTexts = failures(
  fc
    .shuffledSubarray([...MALFORMATIONS])
    .map(([first = 'not-json', second = 'not-json']) => [
      { kind: 'probe', op: { kind: 'pass' }, malformed: first },
      { kind: 'delegate', task: agentTask('scout', []), malformed: second },
      delegate(agentTask('writer', [], { answer: 'empty' })),
      delegate(agentTask('critic', [], { answer: 'huge' })),
    ]),
  fc.constantFrom<Partial<AgentTask>>({ answer: 'empty' }, { answer: 'empty' }, { answer: 'huge' }),
);

/** A composite of agents that use a tool; the first of them may fail. */
const parts = (kinds: readonly CompositeTask['kind'][], first: Partial<AgentTask>): fc.Arbitrary<CompositeTask> =>
  fc.constantFrom(...kinds).map((kind) => {
    const pass = probe({ kind: 'pass' });
    return compositeTask(
      kind,
      [first, {}, {}].map((how, index) => agentTask(kind === 'fanout' ? 'scout' : (AGENTS[index + 1] as string), [[pass]], how)),
    );
  });

/** A sequence with a part that fails, and a composite in which the prompt of a part cannot be made: beside each other, or the other alone. */
const failingParts: fc.Arbitrary<Scenario> = fc
  .record({
    failed: parts(['sequence'], { ending: 'fail' }),
    unprompted: parts(['sequence', 'sequence', 'parallel', 'parallel', 'fanout'], {}),
    throws: fc.nat(2),
    alone: fc.constantFrom(false, false, false, false, false, true),
    schedule,
  })
  .map(({ failed, unprompted, throws, alone, ...rest }) => {
    const thrower = { ...unprompted, throws };
    return scenario([alone ? thrower : agentTask('planner', [[delegate(failed), delegate(thrower)]])], rest);
  });

/** Agents that do not come to an answer of the kind that they owe: one that is run, and one that it delegates to. */
const noAnswers = (settings: AgentSettings, how: Partial<AgentTask>): fc.Arbitrary<Scenario> =>
  fc.record({ beside: fc.array(step, { maxLength: 2 }), schedule }).map(({ beside, ...rest }) => {
    const pass = probe({ kind: 'pass' });
    return scenario([agentTask('planner', [[delegate(agentTask('writer', [[pass], [pass]], how)), ...beside], [pass]], how)], {
      agents: { planner: settings, writer: settings },
      ...rest,
    });
  });

/** What goes wrong. */
export const failureFamilies: readonly Family[] = [
  { share: 2, arbitrary: anyFailures },
  { share: 1, arbitrary: oddFailures({ ending: 'fail', failure: 'abort-shaped' }) },
  { share: 1, arbitrary: oddFailures({ ending: 'fail' }, {}) },
  { share: 2, arbitrary: oddTexts },
  { share: 3, arbitrary: failingParts, needs: ['composites'] },
  { share: 2, arbitrary: noAnswers({ turns: 2 }, {}), needs: ['turns'] },
  { share: 2, arbitrary: noAnswers({ output: 'structured' }, { answer: 'unfit' }), needs: ['structured'] },
  { share: 2, arbitrary: noAnswers({ output: 'structured' }, { ending: 'fail' }), needs: ['structured'] },
];
