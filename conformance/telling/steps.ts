import { answerOf, callAt, calleeOf, type CallRef, depthOf, isAnswerOf, parseCallRef, type Ref, scriptOf, turnAt } from '../../spec/model/ref.ts';
import type { Call, Op, Scenario } from '../../spec/model/scenario.ts';
import { nodeNames } from '../../spec/model/tools.ts';
import type { Observation, Origin, Saw, SeenAccount, SeenUsage, Trace } from '../../spec/model/trace.ts';

/** Something that happened, or a stretch that is not told. */
export type Step = { readonly kind: 'step'; readonly text: string; readonly offending: boolean } | { readonly kind: 'gap'; readonly steps: number };

/** What a story is about, and so what is worth telling. */
export interface Focus {
  /** The host value that each tool call was handed. */
  readonly host: boolean;
  /** What was spent. */
  readonly usage: boolean;
  /** The events that the runtime told of. */
  readonly events: boolean;
}

/** How many steps are told at the start, before and after the offending one, and at the end. */
const KEPT = { start: 8, before: 6, after: 3, end: 1 } as const;

/** A run of so few steps is told whole. */
const SHORT = 20;

/** A stretch as short as this is told after all. */
const SHORT_GAP = 2;

/** Tells a trace as sentences, with the observation at `offending` marked. Long stretches in between are left out. */
export function stepsOf(scenario: Scenario, trace: Trace, offending: number, focus: Focus): readonly Step[] {
  const teller = new Teller(scenario, focus);
  const told = trace.flatMap((observation, at): Extract<Step, { kind: 'step' }>[] => {
    const marked = at === offending;
    const text = teller.tell(observation, marked);
    return text === undefined ? [] : [{ kind: 'step', text, offending: marked }];
  });
  return abridge(told);
}

function abridge(steps: readonly Extract<Step, { kind: 'step' }>[]): readonly Step[] {
  if (steps.length <= SHORT) return steps;
  const mark = steps.findIndex(({ offending }) => offending);
  const start = mark < 0 || mark > KEPT.start ? KEPT.start : mark;
  const kept = steps.map((_, index) => index < start || index >= steps.length - KEPT.end || (mark >= 0 && index >= mark - KEPT.before && index <= mark + KEPT.after));
  const shown: Step[] = [];
  for (let index = 0; index < steps.length; ) {
    const next = kept.indexOf(true, index);
    const gap = (next < 0 ? steps.length : next) - index;
    if (gap > SHORT_GAP) shown.push({ kind: 'gap', steps: gap });
    else shown.push(...steps.slice(index, index + gap));
    index += gap;
    if (index < steps.length) shown.push(steps[index++] as Step);
  }
  return shown;
}

const HOSTS: Readonly<Record<Origin, string>> = {
  own: "its own run's host value",
  'other-run': "another run's host value",
  built: 'the host value from when the team was built',
  foreign: 'a host value that nobody handed in',
  none: 'no host value',
};

const DEPENDENCIES: Readonly<Record<Origin, string>> = {
  own: "its own run's",
  'other-run': "another run's",
  built: 'the one from when the team was built',
  foreign: 'one that nobody bound',
  none: 'undefined',
};

/** Words observations, in the names of one scenario. */
class Teller {
  readonly #scenario: Scenario;
  readonly #focus: Focus;
  readonly #names: ReturnType<typeof nodeNames>;
  readonly #begun = new Set<Ref>();

  constructor(scenario: Scenario, focus: Focus) {
    this.#scenario = scenario;
    this.#focus = focus;
    this.#names = nodeNames(scenario);
  }

  /** A sentence; `undefined` when there is nothing to tell. What is marked is always told. */
  tell(observation: Observation, marked: boolean): string | undefined {
    switch (observation.kind) {
      case 'run-started':
        return `the caller runs ${this.#who(`r${observation.run}`)}`;
      case 'model-asked':
        return this.#asked(observation, marked);
      case 'model-replied':
        return this.#replied(observation);
      case 'probe-called':
        return marked || this.#focus.host ? `${this.#possessive(parseCallRef(observation.call)?.ref ?? observation.call)} tool is handed ${HOSTS[observation.host]}` : undefined;
      case 'probe-acted':
        return this.#acted(observation.call, observation.op, observation.saw);
      case 'probe-stopped':
        return `${this.#possessive(parseCallRef(observation.call)?.ref ?? observation.call)} tool is stopped by its signal`;
      case 'model-stopped':
        return `${this.#possessive(observation.task)} model call is stopped by its signal`;
      case 'arguments-parsed':
        return marked ? `the arguments of ${observation.call} are parsed` : undefined;
      case 'run-aborted':
        return `the caller aborts the run of ${this.#who(`r${observation.run}`)}`;
      case 'time-passed':
        return 'nothing else moves, and time passes';
      case 'caller-changed':
        return `${observation.what} that the caller of run ${observation.run} gave ${observation.what.endsWith('s') ? 'are' : 'is'} not what it was`;
      case 'event':
        return marked || this.#focus.events ? this.#event(observation) : undefined;
      case 'host-touched':
        return `somebody looks inside the host value: ${observation.how}`;
      case 'run-settled':
        return this.#settled(observation);
      case 'runaway':
        return 'the kit steps in: more model calls than any sane limit allows';
      case 'hung':
        return `nothing moves any more, and the run of ${this.#who(`r${observation.run}`)} is not over`;
    }
  }

  #event({ type, task, id, parent, depth, status, call, toldTo }: Extract<Observation, { kind: 'event' }>): string {
    const whose = task === null ? '' : ` of ${this.#who(task)}`;
    const place = [
      `run ${id ?? 'without an id'}`,
      ...(parent ? [`under ${parent}`] : []),
      ...(call ? [`call ${call}`] : []),
      `depth ${depth ?? 'unknown'}`,
      ...(status ? [status] : []),
    ];
    return `the subscriber of run ${toldTo} is told ${type}${whose}: ${place.join(', ')}`;
  }

  #asked({ task, results, strays }: Extract<Observation, { kind: 'model-asked' }>, marked: boolean): string | undefined {
    if (marked && strays.length > 0) return `${this.#who(task)} is shown ${list(strays.map(quoted))}`;
    const begins = !this.#begun.has(task);
    this.#begun.add(task);
    if (results.length === 0) return marked || (begins && task.includes('/')) ? `${this.#who(task)} ${begins ? 'begins' : 'is asked again'}` : undefined;
    return `${this.#who(task)} is told: ${results.map(({ call, text }) => this.#result(call, text)).join('; ')}`;
  }

  #result(call: CallRef, text: string): string {
    if (callAt(this.#scenario, call)?.kind === 'probe') return text === `Did ${call}.` ? 'the tool is done' : `the tool said ${quoted(text)}`;
    const callee = calleeOf(call);
    if (isAnswerOf(text, callee)) return `${this.#name(callee)} answered${text === answerOf(callee) ? '' : ` ${quoted(text)}`}`;
    return `${this.#name(callee)} ${this.#begun.has(callee) ? 'failed' : 'was refused'}: ${quoted(text)}`;
  }

  #replied({ task, turn, reply, spent }: Extract<Observation, { kind: 'model-replied' }>): string {
    const cost = this.#focus.usage ? ` (${spent ? `spent ${tokens(spent)}` : 'usage unsound or none'})` : '';
    if (reply === 'failure') return `${this.#possessive(task)} model fails${cost}`;
    if (reply === 'answer') return `${this.#who(task)} answers${cost}`;
    const script = scriptOf(this.#scenario, task);
    const calls = script?.kind === 'agent' ? (turnAt(script, turn) ?? []) : [];
    const wanted = calls.map((call, index) => this.#wish(call, `${task}:${turn}.${index}`));
    return `${this.#who(task)} ${wanted.length > 0 ? list(wanted) : 'calls nothing'}${wanted.length > 1 ? ', at once' : ''}${cost}`;
  }

  #wish(call: Call, name: CallRef): string {
    const flaw = call.kind !== 'recurse' && call.malformed ? ' (with arguments that are wrong)' : '';
    return call.kind === 'probe' ? `calls a tool${call.of ? ` of ${call.of}'s own` : ''}${purpose(call.op)}${flaw}` : `asks ${this.#who(calleeOf(name))}${flaw}`;
  }

  #acted(call: CallRef, op: Op, saw: Saw): string {
    const whose = `${this.#possessive(parseCallRef(call)?.ref ?? call)} tool`;
    if (saw.kind === 'no-scratchpad') return `${whose} finds no scratchpad to ${verb(op)}`;
    if (saw.kind === 'no-dependencies') return `${whose} finds no dependencies to ${verb(op)} in`;
    if (saw.kind === 'error') return `${whose} tries to ${verb(op)}, and is met with the error ${quoted(saw.message)}`;
    if (saw.kind === 'dependency') return `${whose} looks up the dependency ${op.kind === 'dep' ? op.key : ''}, and gets ${DEPENDENCIES[saw.origin]}`;
    if (saw.kind === 'entries') return this.#worked(whose, op, saw.entries, call);
    if (op.kind === 'abort') return `${whose} runs, and the caller aborts the run`;
    return `${whose} ${op.kind === 'fail' ? 'fails' : 'runs'}`;
  }

  #worked(whose: string, op: Op, entries: readonly string[], call: CallRef): string {
    const slot = 'slot' in op ? op.slot : 'a slot';
    const what = entries.length === 0 ? 'nothing' : list(entries.map((entry) => this.#entry(entry, call)));
    return op.kind === 'append' ? `${whose} appends to ${slot}, which now holds ${what}` : `${whose} reads ${slot}, and finds ${what}`;
  }

  #entry(entry: string, reader: CallRef): string {
    const author = parseCallRef(entry)?.ref;
    if (author === undefined) return quoted(entry);
    if (entry === reader) return 'this entry';
    return author === parseCallRef(reader)?.ref ? `its own entry ${brief(entry)}` : `${this.#name(author)}'s entry ${brief(entry)}`;
  }

  #settled({ run, status, text, error, usage }: Extract<Observation, { kind: 'run-settled' }>): string {
    const how = { completed: 'is completed', failed: 'fails', cancelled: 'is cancelled' }[status];
    const said = status === 'completed' ? text : (error ?? '');
    const answer = isAnswerOf(said, `r${run}`) || said === '' ? '' : ` with ${quoted(said)}`;
    return `the run of ${this.#who(`r${run}`)} ${how}${answer}${this.#focus.usage ? `; ${usage ? `the runtime reports ${this.#account(usage)}` : 'the runtime reports no usage'}` : ''}`;
  }

  #account({ own, total, children }: SeenAccount): string {
    const below = children.map((child) => `for ${child.task === null ? 'somebody' : this.#who(child.task)}: ${this.#account(child)}`);
    const numbers = [...(own ? [`own ${tokens(own)}`] : []), ...(total ? [`in total ${tokens(total)}`] : [])];
    return `${numbers.length > 0 ? numbers.join(', ') : 'nothing'}${below.length > 0 ? ` (${below.join('; ')})` : ''}`;
  }

  #name(ref: Ref): string {
    return scriptOf(this.#scenario, ref) ? this.#names.of(this.#scenario, ref) : 'somebody';
  }

  #who(ref: Ref): string {
    return `${this.#name(ref)} (${brief(ref)})`;
  }

  #possessive(ref: Ref): string {
    return `${this.#name(ref)}'s (${brief(ref)})`;
  }
}

/** What a model calls a tool for, where that is more than to call it. */
function purpose(op: Op): string {
  switch (op.kind) {
    case 'pass':
      return '';
    case 'fail':
      return ' that will fail';
    case 'hang':
      return ' that never ends';
    case 'abort':
      return ', during which the caller aborts';
    default:
      return ` to ${verb(op)}`;
  }
}

function verb(op: Op): string {
  return op.kind === 'append' ? `append to ${op.slot}` : op.kind === 'read' ? `read ${op.slot}` : op.kind === 'dep' ? `look up the dependency ${op.key}` : op.kind;
}

function tokens({ input, output }: SeenUsage): string {
  return `${input ?? 'no'} in and ${output ?? 'no'} out`;
}

function list(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

/** A name; one that recursion made long with its middle left out. */
function brief(name: string): string {
  return name.length <= 30 ? name : `${name.slice(0, name.indexOf('/', 3))}/…, ${depthOf(name)} deep`;
}

function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return `"${line.length <= 160 ? line : `${line.slice(0, 157)}…`}"`;
}
