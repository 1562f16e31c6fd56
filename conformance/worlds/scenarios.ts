import fc from 'fast-check';
import { type Capabilities, type Capability, has } from '../../spec/model/capability.ts';
import { aborts, agentTasksOf, hasOwnLimits, tasksOf } from '../../spec/model/questions.ts';
import {
  AGENTS,
  type AgentTask,
  type Call,
  type CompositeTask,
  DEPENDENCIES,
  type HostKind,
  type Limits,
  type Op,
  type Scenario,
  type SlotName,
  type Task,
  type Turn,
  USAGE_KINDS,
} from '../../spec/model/scenario.ts';

const anyone: fc.Arbitrary<string> = fc.constantFrom(...AGENTS);

/** What the tasks of a scenario are made of. */
interface Material {
  /** How many delegations may lie one below the other. */
  readonly depth: number;
  readonly op: fc.Arbitrary<Op>;
  readonly ending?: fc.Arbitrary<'answer' | 'fail'>;
  readonly usage?: fc.Arbitrary<AgentTask['usage']>;
  /** How many calls a turn may have. */
  readonly width?: number;
  /** At most one delegation a turn. */
  readonly oneAtATime?: boolean;
}

const schedule = fc.array(fc.nat(5), { maxLength: 14 });
const pass: fc.Arbitrary<Op> = fc.constant({ kind: 'pass' });
const probe = (op: Op): Call => ({ kind: 'probe', op });
const delegate = (task: Task): Call => ({ kind: 'delegate', task });
const agentTask = (agent: string, turns: readonly Turn[], more: Partial<Pick<AgentTask, 'ending' | 'usage'>> = {}): AgentTask => ({
  kind: 'agent',
  agent,
  turns,
  ending: 'answer',
  usage: 'sound',
  ...more,
});
const scenario = (runs: readonly Task[], more: Partial<Scenario> = {}): Scenario => ({ runs, host: 'record', built: false, schedule: [], ...more });

/** Reads and writes, most of one slot, so that they have to do with each other. */
function padOps(slot: SlotName): fc.Arbitrary<Op> {
  const other = fc.constantFrom<SlotName>('log', 'draft', 'notes');
  const mostly = fc.oneof({ weight: 6, arbitrary: fc.constant(slot) }, { weight: 1, arbitrary: other });
  return fc.oneof(
    { weight: 5, arbitrary: mostly.map((to): Op => ({ kind: 'append', slot: to })) },
    { weight: 5, arbitrary: mostly.map((from): Op => ({ kind: 'read', slot: from })) },
    { weight: 1, arbitrary: fc.constantFrom<Op>({ kind: 'pass' }, { kind: 'fail' }) },
  );
}

const anyOp: fc.Arbitrary<Op> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom<Op>({ kind: 'pass' }, { kind: 'fail' }) },
  { weight: 3, arbitrary: fc.constantFrom(...DEPENDENCIES).map((key): Op => ({ kind: 'dep', key })) },
  { weight: 3, arbitrary: padOps('log') },
);

/** An agent's task with everything below it. */
function task(material: Material, agent: fc.Arbitrary<string> = anyone): fc.Arbitrary<AgentTask> {
  const { depth, op, width = 3, ending = fc.constant('answer' as const), usage = fc.constant('sound' as const) } = material;
  const calls = fc.oneof({ weight: 3, arbitrary: op.map(probe) }, ...(depth > 0 ? [{ weight: 3, arbitrary: task({ ...material, depth: depth - 1 }).map(delegate) }] : []));
  const turn = fc.array(calls, { minLength: 1, maxLength: depth > 0 ? width : 2 }).map((found) => (material.oneAtATime ? firstDelegationOnly(found) : found));
  return fc.record({ kind: fc.constant('agent' as const), agent, turns: fc.array(turn, { minLength: 1, maxLength: 3 }), ending, usage });
}

function firstDelegationOnly(turn: Turn): Turn {
  const first = turn.findIndex(({ kind }) => kind === 'delegate');
  return turn.filter((call, index) => call.kind !== 'delegate' || index === first);
}

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
  .map(({ one, two, ...rest }) => scenario([one, two], rest));

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

function composite(kind: CompositeTask['kind'], parts: fc.Arbitrary<readonly Task[]>): fc.Arbitrary<CompositeTask> {
  return parts.map((found) => ({ kind, parts: found, times: 1 }));
}

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

/** A chain that goes to its limit, and after it, or beside it, one that goes as deep and has every right to. */
const again: fc.Arbitrary<Scenario> = fc
  .record({
    depth: fc.integer({ min: 1, max: 3 }),
    times: fc.integer({ min: 2, max: 4 }),
    first: fc.oneof(selfDelegation.map(delegate), fc.constant(delegate(agentTask('critic', [[probe({ kind: 'pass' })]], { ending: 'fail' })))),
    beside: fc.boolean(),
    schedule,
  })
  .map(({ depth, times, first, beside, ...rest }) => {
    const deep = Array.from({ length: depth }).reduceRight<AgentTask>(
      (below, _, index) => agentTask(AGENTS[(index + 1) % AGENTS.length] as string, [[delegate(below)]]),
      agentTask('scout', []),
    );
    const ways = [first, ...Array.from({ length: times - 1 }, () => delegate(below(deep)))];
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
  .record({ root: fc.oneof(selfDelegation, cycle, task({ depth: 3, op: pass, width: 2 })), depth: fc.integer({ min: 2, max: 4 }), who: fc.nat(), by: fc.constantFrom(-1, 2) })
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

/** What a tree costs, when all goes well and when some fail. */
const spending: fc.Arbitrary<Scenario> = fc
  .record({ root: task({ depth: 3, op: pass, width: 2, oneAtATime: true, ending: fc.constantFrom('answer', 'answer', 'answer', 'answer', 'fail') }), schedule })
  .map(({ root, ...rest }) => scenario([root], rest));

const spendingTogether: fc.Arbitrary<Scenario> = fc
  .record({ root: task({ depth: 2, op: pass, ending: fc.constantFrom('answer', 'answer', 'answer', 'answer', 'answer', 'fail') }), schedule })
  .map(({ root, ...rest }) => scenario([root], rest));

/** Providers that report nonsense. */
const spoilt: fc.Arbitrary<Scenario> = fc
  .record({ root: task({ depth: 2, op: pass, width: 2, usage: fc.constantFrom('sound', 'sound', ...USAGE_KINDS) }), schedule })
  .map(({ root, ...rest }) => scenario([root], rest));

/** A caller who aborts in the middle. */
const aborted: fc.Arbitrary<Scenario> = fc
  .record({ root: task({ depth: 2, op: fc.constantFrom<Op>({ kind: 'pass' }, { kind: 'pass' }, { kind: 'abort' }), width: 2 }), schedule })
  .map(({ root, ...rest }) => scenario([root], rest));

/** Each situation that requirements are about, and how many scenarios of a round are of its kind. */
const FAMILIES: readonly { readonly share: number; readonly arbitrary: fc.Arbitrary<Scenario>; readonly needs?: readonly Capability[] }[] = [
  { share: 5, arbitrary: hosts },
  { share: 9, arbitrary: strangeHosts('frozen', 'function', 'symbol', 'tripwire') },
  { share: 4, arbitrary: strangeHosts('none') },
  { share: 5, arbitrary: built },
  { share: 6, arbitrary: concurrent },
  { share: 8, arbitrary: pads, needs: ['scratchpad'] },
  { share: 11, arbitrary: siblings, needs: ['scratchpad'] },
  { share: 10, arbitrary: merges('notes'), needs: ['scratchpad', 'composites'] },
  { share: 7, arbitrary: merges('draft', 'log'), needs: ['scratchpad', 'composites'] },
  { share: 4, arbitrary: loops, needs: ['scratchpad', 'composites'] },
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
  { share: 4, arbitrary: inComposites, needs: ['composites'] },
  { share: 5, arbitrary: spending },
  { share: 5, arbitrary: spendingTogether },
  { share: 6, arbitrary: spoilt },
  { share: 7, arbitrary: aborted, needs: ['abort'] },
];

/**
 * A round of scenarios that a runtime with these capabilities can enact. Every situation has its share in every round,
 * well mixed, so that even a few cases reach them all.
 */
export function rounds(capabilities: Capabilities): fc.Arbitrary<readonly Scenario[]> {
  const fitting = FAMILIES.filter(({ needs = [] }) => needs.every((need) => has(capabilities, need)));
  const places = fitting.flatMap(({ share, arbitrary }) => Array.from({ length: share }, (_, index) => ({ place: (index + 0.5) / share, arbitrary })));
  return fc.tuple(...places.toSorted((a, b) => a.place - b.place).map(({ arbitrary }) => arbitrary));
}

/** Tells whether a runtime with these capabilities can enact a scenario. */
export function fits(found: Scenario, capabilities: Capabilities): boolean {
  const settings = Object.values(found.agents ?? {});
  const composites = tasksOf(found).flatMap(({ task }) => (task.kind === 'agent' ? [] : [task]));
  const needed: Readonly<Partial<Record<Capability, boolean>>> = {
    limits: !!found.limits || hasOwnLimits(found) || agentTasksOf(found).some(({ task: { ending } }) => ending === 'forever'),
    composites: composites.length > 0,
    abort: aborts(found),
    turns: settings.some(({ turns }) => turns),
    timeouts: settings.some(({ timeout }) => timeout),
    structured: settings.some(({ output }) => output),
    runners: settings.some(({ runner, model }) => runner ?? model) || composites.some(({ runner }) => runner),
    streaming: !!found.streamed,
    events: !!found.subscriber,
  };
  return (Object.keys(needed) as Capability[]).every((capability) => !needed[capability] || has(capabilities, capability));
}

// Words for writing scenarios by hand.
export { agentTask, delegate, probe, scenario };
