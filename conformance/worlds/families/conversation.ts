import fc from 'fast-check';
import type { AgentTask, Op, Scenario } from '../../../spec/model/scenario.ts';
import type { Family } from '../family.ts';
import { pass, schedule, task } from '../tasks.ts';
import { agentTask, delegate, probe, scenario } from '../words.ts';

const passOrFail = fc.constantFrom<Op>({ kind: 'pass' }, { kind: 'pass' }, { kind: 'fail' });

/** A sub-agent that fails, and is called again: once, or twice at the same time. */
const again: fc.Arbitrary<Scenario> = fc.record({ twice: fc.boolean(), op: passOrFail, schedule }).map(({ twice, op, ...rest }) => {
  const call = (ending: AgentTask['ending']) => delegate(agentTask('writer', [[probe(op)], [probe({ kind: 'pass' })]], { ending }));
  return scenario([agentTask('planner', [[call('fail')], twice ? [call('answer'), call('answer')] : [call('answer')]])], rest);
});

/** A sub-agent that ran out of time, and is called again. */
const afterTimeout: fc.Arbitrary<Scenario> = fc.record({ tool: fc.boolean(), schedule }).map(({ tool, ...rest }) => {
  const stuck = tool ? agentTask('writer', [[probe({ kind: 'hang' })]]) : agentTask('writer', [], { ending: 'hang' });
  return scenario([agentTask('planner', [[delegate(stuck)], [delegate(agentTask('writer', [[probe({ kind: 'pass' })]]))]])], { agents: { writer: { timeout: 250 } }, ...rest });
});

/** One run after another, of one team: the first is aborted, before it begins or while it goes on. */
const afterAbort: fc.Arbitrary<Scenario> = fc
  .record({ root: task({ depth: 1, op: pass, width: 2 }, fc.constant('planner')), abortAfter: fc.nat(1), schedule })
  .map(({ root, ...rest }) => {
    const longer = { ...root, turns: [[probe({ kind: 'pass' })], ...root.turns] };
    return scenario([longer, longer], { inTurn: true, ...rest });
  });

/** Answers of great length. */
const long: fc.Arbitrary<Scenario> = fc.record({ schedule }).map((rest) => {
  const writer = agentTask('writer', [[probe({ kind: 'pass' })]], { answer: 'huge' });
  return scenario([agentTask('planner', [[delegate(writer), probe({ kind: 'pass' })]], { answer: 'huge' })], rest);
});

/** The same run twice, once as a stream. Some calls go well and some do not. */
const asStream: fc.Arbitrary<Scenario> = fc
  .record({ root: task({ depth: 1, op: passOrFail, width: 3, ending: fc.constantFrom('answer', 'answer', 'fail') }), inOrder: fc.boolean(), schedule })
  .map(({ root, inOrder, ...rest }) => {
    const mixed = { ...root, turns: [[probe({ kind: 'pass' }), probe({ kind: 'fail' })], ...root.turns] };
    return scenario([mixed, mixed], { streamed: [1], ...(inOrder && { inTurn: true }), ...rest });
  });

/** Who is shown what, in which conversation. */
export const conversationFamilies: readonly Family[] = [
  { share: 2, arbitrary: again },
  { share: 1, arbitrary: afterTimeout, needs: ['timeouts'] },
  { share: 2, arbitrary: afterAbort, needs: ['abort'] },
  { share: 1, arbitrary: long },
  { share: 2, arbitrary: asStream, needs: ['streaming'] },
];
