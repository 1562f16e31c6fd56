import fc from 'fast-check';
import type { AgentTask, Op, Scenario } from '../../../spec/model/scenario.ts';
import type { Family } from '../family.ts';
import { pass, schedule, task } from '../tasks.ts';
import { agentTask, delegate, probe, scenario } from '../words.ts';

const passOrFail = fc.constantFrom<Op>({ kind: 'pass' }, { kind: 'pass' }, { kind: 'fail' });

/** The same sub-agent, called again and again: it fails, and is asked something else, or the same at once. */
const again: fc.Arbitrary<Scenario> = fc
  .record({ first: fc.constantFrom<AgentTask['ending']>('fail', 'answer'), twice: fc.boolean(), op: passOrFail, schedule })
  .map(({ first, twice, op, ...rest }) => {
    const call = (ending: AgentTask['ending']) => delegate(agentTask('writer', [[probe(op)], [probe({ kind: 'pass' })]], { ending }));
    return scenario([agentTask('planner', [[call(first)], twice ? [call('answer'), call('answer')] : [call('answer')]])], rest);
  });

/** A sub-agent that ran out of time, and is called again. */
const afterTimeout: fc.Arbitrary<Scenario> = fc.record({ tool: fc.boolean(), schedule }).map(({ tool, ...rest }) => {
  const stuck = tool ? agentTask('writer', [[probe({ kind: 'hang' })]]) : agentTask('writer', [], { ending: 'hang' });
  return scenario([agentTask('planner', [[delegate(stuck)], [delegate(agentTask('writer', [[probe({ kind: 'pass' })]]))]])], { agents: { writer: { timeout: 250 } }, ...rest });
});

/** One run after the other, of one team. */
const inTurn: fc.Arbitrary<Scenario> = fc
  .record({ root: task({ depth: 1, op: pass, width: 2 }, fc.constant('planner')), abortAfter: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }), schedule })
  .map(({ root, abortAfter, ...rest }) => scenario([root, root], { inTurn: true, ...(abortAfter !== undefined && { abortAfter }), ...rest }));

/** Answers of great length. */
const long: fc.Arbitrary<Scenario> = fc.record({ schedule }).map((rest) => {
  const writer = agentTask('writer', [[probe({ kind: 'pass' })]], { answer: 'huge' });
  return scenario([agentTask('planner', [[delegate(writer), probe({ kind: 'pass' })]], { answer: 'huge' })], rest);
});

/** The same run twice, once as a stream. */
const asStream: fc.Arbitrary<Scenario> = fc
  .record({ root: task({ depth: 1, op: passOrFail, width: 3, ending: fc.constantFrom('answer', 'answer', 'fail') }), inOrder: fc.boolean(), schedule })
  .map(({ root, inOrder, ...rest }) => scenario([root, root], { streamed: [1], ...(inOrder && { inTurn: true }), ...rest }));

/** Who is shown what, in which conversation. */
export const conversationFamilies: readonly Family[] = [
  { share: 2, arbitrary: again },
  { share: 1, arbitrary: afterTimeout, needs: ['timeouts'] },
  { share: 2, arbitrary: inTurn, needs: ['abort'] },
  { share: 1, arbitrary: long },
  { share: 2, arbitrary: asStream, needs: ['streaming'] },
];
