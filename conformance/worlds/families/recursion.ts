import fc from 'fast-check';
import { agentTasksOf } from '../../../spec/model/questions.ts';
import { AGENTS, type AgentTask, type CompositeTask, type Limits, type Scenario, type Task, type Turn } from '../../../spec/model/scenario.ts';
import type { Family } from '../family.ts';
import { pass, schedule, task } from '../tasks.ts';
import { agentTask, delegate, probe, scenario } from '../words.ts';

/** A chain of agents whose last one hands on the task of one of them, again and again. */
function chain(length: fc.Arbitrary<number>, up: (length: number) => fc.Arbitrary<number>): fc.Arbitrary<AgentTask> {
  return length.chain((agents) =>
    fc.record({ names: fc.shuffledSubarray([...AGENTS], { minLength: agents, maxLength: agents }), up: up(agents), beside: fc.boolean() }).map(({ names, up: back, beside }) => {
      const again: Turn = [{ kind: 'recurse', up: back }, ...(beside ? [probe({ kind: 'pass' })] : [])];
      return names.reduceRight<AgentTask | undefined>((below, name) => agentTask(name, [below ? [delegate(below)] : again]), undefined) as AgentTask;
    }),
  );
}

const anyLength = fc.integer({ min: 1, max: 3 });
const selfDelegation = chain(fc.integer({ min: 1, max: 2 }), () => fc.constant(1));
const cycle = chain(fc.integer({ min: 2, max: 3 }), (length) => fc.integer({ min: 2, max: length }));

/** Agents that delegate without end, and a caller who set no limit. */
const endless: fc.Arbitrary<Scenario> = chain(anyLength, (length) => fc.integer({ min: 1, max: length })).map((root) => scenario([root]));

/** Agents that delegate without end, up to a limit. */
const stopped: fc.Arbitrary<Scenario> = fc
  .record({ root: fc.oneof(selfDelegation, cycle), depth: fc.integer({ min: 1, max: 5 }) })
  .map(({ root, depth }) => scenario([root], { limits: { depth } }));

/** Trees under a depth limit, with calls one after the other, side by side, and some that fail. */
const shallow: fc.Arbitrary<Scenario> = fc
  .record({ root: task({ depth: 3, op: pass, width: 2, ending: fc.constantFrom('answer', 'answer', 'answer', 'fail') }), depth: fc.integer({ min: 1, max: 3 }), schedule })
  .map(({ root, depth, ...rest }) => scenario([root], { limits: { depth }, ...rest }));

/** A call that fails, maybe a chain that goes to its limit, and after them, or beside them, one that goes as deep and has every right to. */
const again: fc.Arbitrary<Scenario> = fc
  .record({
    depth: fc.integer({ min: 1, max: 3 }),
    times: fc.integer({ min: 2, max: 4 }),
    endless: fc.option(selfDelegation.map(delegate)),
    beside: fc.constantFrom(false, false, true),
    schedule,
  })
  .map(({ depth, times, endless: before, beside, ...rest }) => {
    const failing = delegate(agentTask('critic', [[probe({ kind: 'pass' })]], { ending: 'fail' }));
    const deep = Array.from({ length: depth }).reduceRight<AgentTask>(
      (below, _, index) => agentTask(AGENTS[(index + 1) % AGENTS.length] as string, [[delegate(below)]]),
      agentTask('scout', []),
    );
    const ways = [...(before ? [before] : []), failing, ...Array.from({ length: times - 1 }, () => delegate(below(deep)))];
    return scenario([agentTask('planner', beside ? [ways] : ways.map((way) => [way]))], { limits: { depth }, ...rest });
  });

/** The first task that a task delegates. */
function below(of: AgentTask): Task {
  const [first] = of.turns.flat();
  return first?.kind === 'delegate' ? first.task : of;
}

/** A router that delegates to its workers over and over until it is told no, under limits of which some are set. */
function routers(limits: fc.Arbitrary<Limits>): fc.Arbitrary<Scenario> {
  const workers = fc.array(task({ depth: 1, op: pass, width: 2 }), { minLength: 1, maxLength: 3 });
  return fc.record({ workers, limits, together: fc.boolean(), forever: fc.boolean(), schedule }).map(({ workers: found, limits: set, together, forever, ...rest }) => {
    const calls = found.map(delegate);
    return scenario([agentTask('planner', together ? [calls] : calls.map((call) => [call]), { ending: forever ? 'forever' : 'answer' })], { limits: set, ...rest });
  });
}

const few = fc.integer({ min: 1, max: 4 });
const visited = routers(few.map((visits) => ({ visits })));
const counted = routers(fc.integer({ min: 1, max: 7 }).map((steps) => ({ steps })));
const several = routers(
  fc.oneof(
    fc.record({ depth: fc.integer({ min: 1, max: 2 }), visits: fc.integer({ min: 2, max: 5 }) }),
    fc.record({ depth: fc.integer({ min: 1, max: 2 }), steps: fc.integer({ min: 3, max: 9 }) }),
    fc.record({ visits: fc.integer({ min: 2, max: 4 }), steps: fc.integer({ min: 3, max: 9 }) }),
  ),
);

/** Two callers at the same time, each under limits that the other must not use up. */
const limitedApart = routers(
  fc.oneof(
    few.map((visits) => ({ visits })),
    fc.integer({ min: 2, max: 6 }).map((steps) => ({ steps })),
  ),
).map((one) => ({ ...one, runs: [...one.runs, ...one.runs] }));

/** Agents of which one brings limits of its own, wider or narrower than the run's. */
const narrowing: fc.Arbitrary<Scenario> = fc
  .record({
    root: fc.oneof(selfDelegation, cycle, selfDelegation, cycle, task({ depth: 3, op: pass, width: 2 })),
    depth: fc.integer({ min: 2, max: 4 }),
    who: fc.nat(),
    by: fc.constantFrom(-1, -1, 2),
  })
  .map(({ root, depth, who, by }) => {
    const agents = agentTasksOf(scenario([root])).map(({ task: { agent } }) => agent);
    return scenario([root], { limits: { depth }, agents: { [agents[who % agents.length] as string]: { limits: { depth: depth + by } } } });
  });

/** An agent with a narrow limit of its own, and a sibling that goes deeper and has every right to. */
const narrowBeside: fc.Arbitrary<Scenario> = fc.record({ depth: fc.integer({ min: 2, max: 3 }), together: fc.boolean(), schedule }).map(({ depth, together, ...rest }) => {
  const deep = delegate(agentTask('critic', [[delegate(agentTask('scout', [[probe({ kind: 'pass' })]]))]]));
  const ways = [delegate(agentTask('writer', [[probe({ kind: 'pass' })]])), deep];
  return scenario([agentTask('planner', together ? [ways] : ways.map((way) => [way]))], { limits: { depth }, agents: { writer: { limits: { depth: 1 } } }, ...rest });
});

/** A chain that goes through composites, to its limit and beyond. */
const throughComposites: fc.Arbitrary<Scenario> = fc
  .record({
    kinds: fc.array(fc.constantFrom<CompositeTask['kind']>('sequence', 'parallel', 'fanout', 'loop'), { minLength: 2, maxLength: 3 }),
    depth: fc.integer({ min: 1, max: 2 }),
  })
  .map(({ kinds, depth }) => {
    const chainBelow = kinds.reduceRight<AgentTask>(
      (end, kind, index) => agentTask(AGENTS[index] as string, [[delegate({ kind, parts: [end], times: 1 })]]),
      agentTask('scout', []),
    );
    return scenario([chainBelow], { limits: { depth } });
  });

/** Delegation that does not end by itself, and limits. */
export const recursionFamilies: readonly Family[] = [
  { share: 4, arbitrary: endless },
  { share: 9, arbitrary: stopped, needs: ['limits'] },
  { share: 4, arbitrary: shallow, needs: ['limits'] },
  { share: 5, arbitrary: again, needs: ['limits'] },
  { share: 6, arbitrary: visited, needs: ['limits'] },
  { share: 6, arbitrary: counted, needs: ['limits'] },
  { share: 6, arbitrary: several, needs: ['limits'] },
  { share: 4, arbitrary: limitedApart, needs: ['limits'] },
  { share: 7, arbitrary: narrowing, needs: ['limits'] },
  { share: 2, arbitrary: narrowBeside, needs: ['limits'] },
  { share: 3, arbitrary: throughComposites, needs: ['limits', 'composites'] },
];
