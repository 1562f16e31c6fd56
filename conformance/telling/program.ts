import { tasksOf } from '../../spec/model/questions.ts';
import { ancestorsOf, scriptOf } from '../../spec/model/ref.ts';
import type { AgentSettings, AgentTask, Call, CompositeTask, Failure, Limits, Malformation, Op, Scenario, Task, Turn } from '../../spec/model/scenario.ts';

/** A piece of a program: a word, or a block of pieces that goes on one line if it fits. */
type Piece = string | { readonly head: string; readonly items: readonly Piece[]; readonly separator: ';' | ',' };

/** The steps of a composite go in order; those of a turn and of parallel branches go at the same time. */
const AT_ONCE = ',';
const IN_ORDER = ';';

/** Writes a scenario as the short program that a person would have written. Lines fit `width` where they can. */
export function programOf(scenario: Scenario, width: number): readonly string[] {
  const stacks = new Map(tasksOf(scenario).map(({ ref, task }) => [task, [...ancestorsOf(ref), ref].map((above) => scriptOf(scenario, above))]));
  const runs = scenario.runs.flatMap((task, run) => {
    const piece = taskPiece(task, stacks);
    return print(scenario.runs.length > 1 ? prefixed(`run ${run}: `, piece) : piece, width);
  });
  const settings = settingsOf(scenario);
  return [...runs, ...(settings.length > 0 ? [settings.join(' · ')] : [])];
}

type Stacks = ReadonlyMap<Task, readonly (Task | undefined)[]>;

function taskPiece(task: Task, stacks: Stacks): Piece {
  if (task.kind === 'agent') {
    const items = [...task.turns.map((turn) => turnPiece(turn, task, stacks)), ...endingOf(task)];
    return { head: task.agent, items: items.length > 0 ? items : ['answer'], separator: IN_ORDER };
  }
  const parts = task.parts.map((part) => taskPiece(part, stacks));
  return { head: headOf(task), items: parts, separator: task.kind === 'parallel' || task.kind === 'fanout' ? AT_ONCE : IN_ORDER };
}

function headOf({ kind, times, runner, throws }: CompositeTask): string {
  const how = { loop: `loop ${times} times`, fanout: 'fan out', parallel: 'in parallel', sequence: 'in sequence' }[kind];
  return `${how}${runner ? ` on runner ${runner}` : ''}${throws === undefined ? '' : `, where no prompt can be made for part ${throws}`}`;
}

function endingOf({ ending, usage, answer, failure }: AgentTask): readonly string[] {
  const how = {
    answer: answer ? [ODD[answer]] : [],
    fail: [`its model fails${thrownInWords(failure)}`],
    forever: ['start over, for ever'],
    hang: ['its model never replies'],
  }[ending];
  return [...how, ...(usage === 'sound' ? [] : [`its model reports ${SPOILT[usage]} usage`])];
}

const ODD = { empty: 'answer with nothing', huge: 'answer at great length', unfit: 'answer with what does not fit the schema' } as const;

/** Words what is thrown, where that is not an error. */
function thrownInWords(how: Failure | undefined): string {
  return { error: '', string: ' with a string', nothing: ' with undefined', 'abort-shaped': ' as if it were aborted' }[how ?? 'error'];
}

const SPOILT = { nan: 'NaN as', infinite: 'infinite', negative: 'negative', text: 'text as' } as const;

function turnPiece(turn: Turn, by: AgentTask, stacks: Stacks): Piece {
  const calls = turn.map((call) => callPiece(call, by, stacks));
  return calls.length === 1 ? (calls[0] as Piece) : { head: 'together', items: calls, separator: AT_ONCE };
}

function callPiece(call: Call, by: AgentTask, stacks: Stacks): Piece {
  if (call.kind === 'probe') return `${inWords(call.op)}${call.of ? ` of ${call.of}'s own` : ''}${malformedInWords(call)}`;
  if (call.kind === 'delegate') return prefixed(`ask${malformedInWords(call)} `, taskPiece(call.task, stacks));
  if (call.up === 1) return 'ask itself to do all this again';
  const target = stacks.get(by)?.at(-call.up);
  return `ask ${target?.kind === 'agent' ? target.agent : `the one ${call.up - 1} above`} to do all of that again`;
}

function malformedInWords({ malformed }: { readonly malformed?: Malformation | undefined }): string {
  return malformed ? { 'not-json': ' with arguments that are not JSON', unfit: ' with arguments that do not fit' }[malformed] : '';
}

/** Words what a probe does. */
function inWords(op: Op): string {
  switch (op.kind) {
    case 'append':
    case 'read':
      return `${op.kind} ${op.slot}`;
    case 'dep':
      return `look up the dependency ${op.key}`;
    case 'fail':
      return `call a tool that fails${thrownInWords(op.how)}`;
    case 'abort':
      return 'call a tool, and the caller aborts';
    case 'hang':
      return 'call a tool that never ends';
    case 'pass':
      return 'call a tool';
  }
}

function settingsOf({ host, built, limits, agents, schedule, ...rest }: Scenario): readonly string[] {
  const { inTurn, streamed, modelsWait, abortAfter, subscriber } = rest;
  return [
    ...(host === 'record' ? [] : [`host: ${host}`]),
    ...(built ? ['built with a host value and dependencies'] : []),
    ...(limits ? [`limits: ${limitsInWords(limits)}`] : []),
    ...Object.entries(agents ?? {}).flatMap(([agent, its]) => agentInWords(agent, its)),
    ...(inTurn ? ['one run after the other'] : []),
    ...(streamed && streamed.length > 0 ? [`streamed: run ${streamed.join(', ')}`] : []),
    ...(modelsWait ? ['models wait like tools'] : []),
    ...(abortAfter === undefined ? [] : [abortAfter === 0 ? 'aborted before it begins' : `aborted when nothing moves for the ${ordinal(abortAfter)} time`]),
    ...(subscriber ? ['whoever listens to events throws'] : []),
    ...(schedule.length > 0 ? [`order: ${schedule.join(' ')}`] : []),
  ];
}

function agentInWords(agent: string, { limits, turns, timeout, tools, output, runner, model }: AgentSettings): readonly string[] {
  return [
    ...(limits ? [`limits of ${agent}: ${limitsInWords(limits)}`] : []),
    ...(turns ? [`${agent} has ${turns} turns`] : []),
    ...(timeout ? [`${agent} has ${timeout} ms`] : []),
    ...(tools ? [`${agent} has no tools`] : []),
    ...(output ? [`${agent} answers in a structure`] : []),
    ...(runner ? [`${agent} is to run on runner ${runner}`] : []),
    ...(model ? [`${agent} is to run on another model`] : []),
  ];
}

function ordinal(n: number): string {
  return ['first', 'second', 'third'][n - 1] ?? `${n}th`;
}

function limitsInWords(limits: Limits): string {
  const words = Object.entries(limits).flatMap(([kind, value]) => (value === undefined ? [] : [`${kind} ${value}`]));
  return words.length > 0 ? words.join(', ') : 'none set';
}

function prefixed(prefix: string, piece: Piece): Piece {
  return typeof piece === 'string' ? `${prefix}${piece}` : { ...piece, head: `${prefix}${piece.head}` };
}

function print(piece: Piece, width: number, indent = ''): readonly string[] {
  const whole = `${indent}${flat(piece)}`;
  if (typeof piece === 'string' || whole.length <= width) return [whole];
  const last = piece.items.length - 1;
  const lines = piece.items.flatMap((item, index) => {
    const printed = print(item, width - 1, `${indent}  `);
    return index === last ? printed : printed.with(-1, `${printed.at(-1)}${piece.separator}`);
  });
  return [`${indent}${piece.head} {`, ...lines, `${indent}}`];
}

function flat(piece: Piece): string {
  return typeof piece === 'string' ? piece : `${piece.head} { ${piece.items.map(flat).join(`${piece.separator} `)} }`;
}
