import { agentTasksOf } from '../spec/model/questions.ts';
import { AGENTS, type AgentSettings, type AgentTask, type Call, type CompositeTask, type Limits, type Scenario, type Task, type Turn } from '../spec/model/scenario.ts';

/** Every scenario that is one step smaller, the boldest steps first. */
export function* smallerThan(scenario: Scenario): Generator<Scenario> {
  const { runs, schedule } = scenario;
  if (runs.length > 1) for (const run of runs.keys()) yield withoutRun(scenario, run);
  if (schedule.length > 0) yield { ...scenario, schedule: [] };
  if (runs.length > 1 && isOneTask(runs)) for (const smaller of smallerTasks(runs[0] as Task)) yield { ...scenario, runs: runs.map(() => smaller) };
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

/** Runs that do the same may have to do the same for what they show. */
function isOneTask(runs: readonly Task[]): boolean {
  return new Set(runs.map((task) => JSON.stringify(task))).size === 1;
}

function withoutRun(scenario: Scenario, run: number): Scenario {
  const { runs, streamed } = scenario;
  const left = streamed?.flatMap((index) => (index === run ? [] : [index > run ? index - 1 : index]));
  return { ...scenario, runs: runs.toSpliced(run, 1), ...(streamed && { streamed: left }) };
}

/** The same scenario with its agents named in the order in which they appear. */
function inOrder(scenario: Scenario): Scenario {
  const names = new Map<string, string>();
  for (const { task } of agentTasksOf(scenario)) if (!names.has(task.agent)) names.set(task.agent, AGENTS[names.size] ?? task.agent);
  const renamed = (name: string): string => names.get(name) ?? name;
  const renameCall = (call: Call): Call => {
    if (call.kind === 'delegate') return { ...call, task: rename(call.task) };
    return call.kind === 'probe' && call.of !== undefined ? { ...call, of: renamed(call.of) } : call;
  };
  const rename = (task: Task): Task =>
    task.kind === 'agent' ? { ...task, agent: renamed(task.agent), turns: task.turns.map((turn) => turn.map(renameCall)) } : { ...task, parts: task.parts.map(rename) };
  const { agents } = scenario;
  return {
    ...scenario,
    runs: scenario.runs.map(rename),
    ...(agents && { agents: Object.fromEntries(Object.entries(agents).map(([agent, its]) => [renamed(agent), its])) }),
  };
}

/** What a scenario may say or leave out, as a whole. */
const OPTIONS = ['inTurn', 'streamed', 'modelsWait', 'subscriber', 'abortAfter', 'limits', 'agents'] as const;

function* smallerSettings(scenario: Scenario): Generator<Scenario> {
  const { limits, agents, abortAfter } = scenario;
  if (scenario.built) yield { ...scenario, built: false };
  if (scenario.host !== 'record') yield { ...scenario, host: 'record' };
  for (const option of OPTIONS) if (scenario[option] !== undefined) yield without(scenario, option);
  if (abortAfter !== undefined && abortAfter > 1) for (const after of [1, abortAfter - 1]) yield { ...scenario, abortAfter: after };
  if (limits) for (const smaller of smallerLimits(limits)) yield { ...scenario, limits: smaller };
  for (const [agent, its] of Object.entries(agents ?? {})) {
    if (Object.keys(agents ?? {}).length > 1) yield { ...scenario, agents: without(agents as Readonly<Record<string, AgentSettings>>, agent) };
    for (const smaller of smallerAgentSettings(its)) yield { ...scenario, agents: { ...agents, [agent]: smaller } };
  }
}

function without<T extends object, K extends keyof T>(whole: T, key: K): T {
  const { [key]: _, ...rest } = whole;
  return rest as T;
}

function* smallerAgentSettings(settings: AgentSettings): Generator<AgentSettings> {
  const stated = (Object.keys(settings) as (keyof AgentSettings)[]).filter((key) => settings[key] !== undefined);
  if (stated.length > 1) for (const key of stated) yield without(settings, key);
  if (settings.limits) for (const limits of smallerLimits(settings.limits)) yield { ...settings, limits };
  if (settings.turns !== undefined && settings.turns > 1) yield { ...settings, turns: settings.turns - 1 };
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
  if (task.answer !== undefined) yield without(task, 'answer');
  if (task.failure !== undefined) yield without(task, 'failure');
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
  if (call.kind === 'recurse') {
    if (call.up > 1) yield { ...call, up: call.up - 1 };
    return;
  }
  if (call.malformed !== undefined) yield without(call, 'malformed');
  if (call.kind === 'probe') {
    if (call.op.kind !== 'pass') yield { ...call, op: { kind: 'pass' } };
    if (call.op.kind === 'fail' && call.op.how !== undefined) yield { ...call, op: { kind: 'fail' } };
    if (call.of !== undefined) yield without(call, 'of');
    return;
  }
  for (const task of smallerTasks(call.task)) yield { ...call, task };
}

function* smallerComposites(task: CompositeTask): Generator<Task> {
  yield* task.parts;
  if (task.parts.length > 1) for (const index of task.parts.keys()) yield { ...task, parts: task.parts.toSpliced(index, 1) };
  if (task.times > 1) yield { ...task, times: task.times - 1 };
  if (task.runner !== undefined) yield without(task, 'runner');
  if (task.throws !== undefined) yield without(task, 'throws');
  for (const [index, part] of task.parts.entries()) {
    for (const smaller of smallerTasks(part)) yield { ...task, parts: task.parts.with(index, smaller) };
  }
}
