import { agentTasksOf, tasksOf } from '../spec/model/questions.ts';
import { ancestorsOf, scriptOf } from '../spec/model/ref.ts';
import { AGENTS, type AgentTask, type Call, type CompositeTask, type Limits, type Scenario, type Task, type Turn } from '../spec/model/scenario.ts';

/** A scenario from which nothing can be taken away without losing what was asked of it. */
export interface Shrunk {
  readonly scenario: Scenario;
  /** How many steps made it smaller. */
  readonly shrinks: number;
}

/** How many scenarios a shrink may try. */
const PATIENCE = 2_000;

/** Takes away whatever can be taken away, until nothing can: every part of the result is needed for `still`. */
export async function shrink(scenario: Scenario, still: (candidate: Scenario) => Promise<boolean>): Promise<Shrunk> {
  let smallest = scenario;
  let shrinks = 0;
  let tries = 0;
  search: for (;;) {
    for (const candidate of smallerThan(smallest)) {
      if (++tries > PATIENCE) return { scenario: smallest, shrinks };
      if (!isSound(candidate) || !(await still(candidate))) continue;
      smallest = candidate;
      shrinks++;
      continue search;
    }
    return { scenario: smallest, shrinks };
  }
}

/** Every scenario that is one step smaller, the boldest steps first. */
export function* smallerThan(scenario: Scenario): Generator<Scenario> {
  const { runs, schedule } = scenario;
  if (runs.length > 1) for (const run of runs.keys()) yield { ...scenario, runs: runs.toSpliced(run, 1) };
  if (schedule.length > 0) yield { ...scenario, schedule: [] };
  for (const [run, task] of runs.entries()) {
    for (const smaller of smallerTasks(task)) yield { ...scenario, runs: runs.with(run, smaller) };
  }
  yield* smallerSettings(scenario);
  for (const [index, choice] of schedule.entries()) {
    if (index === schedule.length - 1) yield { ...scenario, schedule: schedule.slice(0, -1) };
    if (choice > 0) yield { ...scenario, schedule: schedule.with(index, 0) };
    if (choice > 1) yield { ...scenario, schedule: schedule.with(index, choice - 1) };
  }
  const renamed = inOrder(scenario);
  if (JSON.stringify(renamed) !== JSON.stringify(scenario)) yield renamed;
}

/** The same scenario with its agents named in the order in which they appear. */
function inOrder(scenario: Scenario): Scenario {
  const names = new Map<string, string>();
  for (const { task } of agentTasksOf(scenario)) if (!names.has(task.agent)) names.set(task.agent, AGENTS[names.size] ?? task.agent);
  const rename = (task: Task): Task =>
    task.kind === 'agent'
      ? {
          ...task,
          agent: names.get(task.agent) as string,
          turns: task.turns.map((turn) => turn.map((call) => (call.kind === 'delegate' ? { ...call, task: rename(call.task) } : call))),
        }
      : { ...task, parts: task.parts.map(rename) };
  const { agentLimits } = scenario;
  return {
    ...scenario,
    runs: scenario.runs.map(rename),
    ...(agentLimits && { agentLimits: Object.fromEntries(Object.entries(agentLimits).map(([agent, its]) => [names.get(agent) ?? agent, its])) }),
  };
}

function* smallerSettings(scenario: Scenario): Generator<Scenario> {
  const { limits, agentLimits, ...rest } = scenario;
  if (scenario.built) yield { ...scenario, built: false };
  if (scenario.host !== 'record') yield { ...scenario, host: 'record' };
  if (limits) {
    yield { ...rest, agentLimits };
    for (const smaller of smallerLimits(limits)) yield { ...scenario, limits: smaller };
  }
  if (agentLimits) {
    yield { ...rest, limits };
    for (const [agent, its] of Object.entries(agentLimits)) {
      yield { ...scenario, agentLimits: Object.fromEntries(Object.entries(agentLimits).filter(([name]) => name !== agent)) };
      for (const smaller of smallerLimits(its)) yield { ...scenario, agentLimits: { ...agentLimits, [agent]: smaller } };
    }
  }
}

function* smallerLimits(limits: Limits): Generator<Limits> {
  for (const [kind, value] of Object.entries(limits) as [keyof Limits, number | undefined][]) {
    if (value === undefined) continue;
    if (Object.keys(limits).length > 1) yield Object.fromEntries(Object.entries(limits).filter(([name]) => name !== kind));
    if (value > 1) yield { ...limits, [kind]: 1 };
    if (value > 2) yield { ...limits, [kind]: value - 1 };
  }
}

function smallerTasks(task: Task): Generator<Task> {
  return task.kind === 'agent' ? smallerAgentTasks(task) : smallerComposites(task);
}

function* smallerAgentTasks(task: AgentTask): Generator<Task> {
  const { turns } = task;
  if (task.ending !== 'answer') yield { ...task, ending: 'answer' };
  if (task.usage !== 'sound') yield { ...task, usage: 'sound' };
  for (const turn of turns.keys()) yield { ...task, turns: turns.toSpliced(turn, 1) };
  for (const call of turns.flat()) if (call.kind === 'delegate') yield call.task;
  for (const [t, turn] of turns.entries()) {
    for (const smaller of smallerTurns(turn)) yield { ...task, turns: turns.with(t, smaller) };
  }
}

function* smallerTurns(turn: Turn): Generator<Turn> {
  if (turn.length > 1) for (const index of turn.keys()) yield turn.toSpliced(index, 1);
  for (const [index, call] of turn.entries()) {
    for (const smaller of smallerCalls(call)) yield turn.with(index, smaller);
  }
}

function* smallerCalls(call: Call): Generator<Call> {
  if (call.kind === 'probe' && call.op.kind !== 'pass') yield { kind: 'probe', op: { kind: 'pass' } };
  if (call.kind === 'recurse' && call.up > 1) yield { ...call, up: call.up - 1 };
  if (call.kind !== 'delegate') return;
  for (const task of smallerTasks(call.task)) yield { ...call, task };
}

function* smallerComposites(task: CompositeTask): Generator<Task> {
  yield* task.parts;
  if (task.parts.length > 1) for (const index of task.parts.keys()) yield { ...task, parts: task.parts.toSpliced(index, 1) };
  if (task.times > 1) yield { ...task, times: task.times - 1 };
  for (const [index, part] of task.parts.entries()) {
    for (const smaller of smallerTasks(part)) yield { ...task, parts: task.parts.with(index, smaller) };
  }
}

/** A scenario makes sense: whoever recurses has an agent that far up, and a task that never ends has a turn. */
export function isSound(scenario: Scenario): boolean {
  return tasksOf(scenario).every(({ ref, task }) => {
    if (task.kind !== 'agent') return true;
    const stack = [...ancestorsOf(ref), ref].map((above) => scriptOf(scenario, above));
    const targets = task.turns.flat().flatMap((call) => (call.kind === 'recurse' ? [stack.at(-call.up)] : []));
    return targets.every((target) => target?.kind === 'agent') && (task.ending !== 'forever' || task.turns.length > 0);
  });
}
