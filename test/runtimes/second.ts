import type {
  Adapter,
  AgentSpec,
  CompositeSpec,
  Instruments,
  ModelMessage,
  ModelReply,
  ModelRequest,
  PadView,
  Probe,
  ProbeContext,
  RunInput,
  RunOutcome,
  Slot,
  Team,
} from '../../spec/model/ports.ts';
import { ALL_CAPABILITIES } from '../../spec/model/capability.ts';
import type { Limits, RunnerName } from '../../spec/model/scenario.ts';
import { EventLog } from './second/event-log.ts';
import { Stops } from './second/stops.ts';
import { sum, type Usage, usageSchema, type UsageReport } from '../../spec/model/usage.ts';

/**
 * A second runtime that keeps the whole specification, built as unlike the reference as can be: an interpreter that works
 * off a queue of events. A run is plain data in flat tables: who was activated, who wrote what, what was spent. Nothing is
 * handed down or given back; what a place in the tree may see, and what it cost, follows from its path.
 */
const second: Adapter = {
  name: 'second',
  version: '1.0.0',
  capabilities: ALL_CAPABILITIES,
  delegation: (team, kit) => (input) =>
    new Promise((settle) =>
      begin({
        ...input,
        team,
        kit,
        settle,
        log: new EventLog(input.onEvent),
        stops: new Stops(kit.clock, input.signal),
        activations: new Map(),
        visits: [],
        writes: [],
        spendings: [],
        queue: [],
      }),
    ),
};
export default second;

/** What holds for whoever sets no limit. */
const DEFAULTS: Limits = { depth: 16, steps: 500 };

/** A place in the tree: turn and position of each call that led there, as in `root/0.2/1.0`. Parts count as calls of turn 0. */
type Path = string;
const ROOT: Path = 'root';

/** One activation of an agent or a composite. */
interface Activation {
  readonly path: Path;
  readonly node: string;
  readonly prompt: string;
  readonly depth: number;
  readonly chain: readonly string[];
  readonly bounds: Limits;
  /** The place whose branch-scoped state is in force here. */
  readonly branch: Path;
  /** The runner of the nearest composite around it that names one. */
  readonly runner: RunnerName | undefined;
  /** The id of the tool call that it was delegated by. */
  readonly callId: string | undefined;
  readonly messages: ModelMessage[];
  calls: ModelReply['calls'];
  /** What came of the calls of the turn, or of the parts; `undefined` while that is open. */
  outcomes: (Outcome | undefined)[];
}

/** How something ended. The text is what whoever asked for it is told. */
type Outcome = Required<Pick<RunOutcome, 'status' | 'text'>> & Pick<RunOutcome, 'error'>;

type Event =
  | { readonly kind: 'begun'; readonly path: Path }
  | { readonly kind: 'said'; readonly path: Path; readonly reply: ModelReply }
  /** A call or part of the activation at `path` is over. */
  | { readonly kind: 'told'; readonly path: Path; readonly index: number; readonly outcome: Outcome };

interface Run extends RunInput {
  readonly team: Team;
  readonly kit: Instruments;
  readonly activations: Map<Path, Activation>;
  /** The agents that were activated, in order. */
  readonly visits: string[];
  readonly writes: { readonly slot: Slot; readonly branch: Path | 'run'; readonly value: readonly string[] }[];
  readonly spendings: { readonly path: Path; readonly usage: Usage }[];
  readonly queue: Event[];
  readonly log: EventLog;
  readonly stops: Stops;
  settle(outcome: RunOutcome): void;
}

function begin(run: Run): void {
  activate(run, {
    path: ROOT,
    node: run.team.root,
    prompt: run.prompt,
    depth: 0,
    chain: [],
    bounds: { ...DEFAULTS, ...run.limits },
    branch: ROOT,
    runner: undefined,
    callId: undefined,
  });
}

// The queue

/** Adds an event. Whoever finds the queue empty works it off, so that no event is handled in the middle of another. */
function post(run: Run, event: Event): void {
  if (run.queue.push(event) > 1) return;
  for (; run.queue[0]; run.queue.shift()) handle(run, run.queue[0], run.activations.get(run.queue[0].path) as Activation);
}

function handle(run: Run, event: Event, at: Activation): void {
  switch (event.kind) {
    case 'begun':
      goOn(run, at, () => (compositeOf(run, at) ? startParts(run, at) : askModel(run, at)));
      break;
    case 'said':
      hear(run, at, event.reply);
      break;
    case 'told':
      at.outcomes[event.index] = event.outcome;
      takeStock(run, at);
      break;
  }
}

/** Nothing new is started where the work is stopped. What is under way is waited for, so that its cost is known. */
function goOn(run: Run, { path }: Activation, next: () => void): void {
  if (run.stops.over(path)) end(run, path, failed(run.stops.over(path)?.cause));
  else next();
}

/** Goes on when something that an activation waited for is over: with its next turn or part, or to its end. */
function takeStock(run: Run, at: Activation): void {
  const spec = compositeOf(run, at);
  const next = at.outcomes.indexOf(undefined);
  if (next < 0) goOn(run, at, () => (spec ? endComposite(run, at, spec) : giveResults(run, at)));
  else if (spec && !forks(spec)) goOn(run, at, () => startPart(run, at, spec, next));
}

function end(run: Run, path: Path, came: Outcome): void {
  const [, above, index] = /^(.*)\/\d+\.(\d+)$/.exec(path) ?? [];
  const outcome = stopped(run, path) ?? came;
  run.stops.forget(path);
  run.log.ended(path, outcome.status);
  if (above === undefined) run.settle({ ...outcome, ...(run.stream && { streamed: streamedBy(run, outcome) }), usage: account(run, ROOT) });
  else post(run, { kind: 'told', path: above, index: Number(index), outcome });
}

/** How everything ends where the work was stopped: the caller's abort cancels, a time limit fails. */
function stopped(run: Run, path: Path): Outcome | undefined {
  const stop = run.stops.over(path);
  if (!stop) return undefined;
  return stop.by === 'caller' ? { status: 'cancelled', error: stop.cause, text: 'Cancelled.' } : failed(stop.cause);
}

/** Only what the agent that was run says is in its stream. */
function streamedBy(run: Run, { status, text }: Outcome): string | undefined {
  return status === 'completed' && agentOf(run, run.team.root) ? text : '';
}

const answered = (text: string): Outcome => ({ status: 'completed', text });
const failed = (error: unknown): Outcome => ({ status: 'failed', error, text: `Failed: ${error instanceof Error ? error.message : (error ?? 'nobody says why')}` });

// Agents

const agentOf = ({ team }: Run, node: string): AgentSpec | undefined => team.agents.find(({ name }) => name === node);

function askModel(run: Run, at: Activation): void {
  const { path, node, prompt, messages, runner } = at;
  const { instructions = '', output, overridden, runner: own = runner } = agentOf(run, node) ?? {};
  if (output && own === 'plain') {
    end(run, path, failed(new Error(`${node} has to answer in a structure, and the runner ${own} cannot have it do so.`)));
    return;
  }
  if (messages.length === 0) messages.push({ role: 'system', text: instructions }, { role: 'user', text: prompt });
  const request: ModelRequest = {
    messages: [...messages],
    tools: toolNames(run, node),
    signal: run.stops.watched(path),
    format: output ? 'json' : 'text',
    runner: own,
    model: overridden ? 'override' : 'own',
  };
  const said = (reply: ModelReply): void => post(run, { kind: 'said', path, reply });
  run.kit.reply(request).then(said, (error: unknown) => end(run, path, failed(error)));
}

function toolNames(run: Run, node: string): readonly string[] {
  const { tools = [], delegates = [] } = agentOf(run, node) ?? {};
  return [...tools.map(({ name }) => name), ...delegates.map(run.kit.toolFor)];
}

function hear(run: Run, at: Activation, { text, calls, usage }: ModelReply): void {
  const { success: isSound, data: spent } = usageSchema.safeParse(usage);
  if (isSound) run.spendings.push({ path: at.path, usage: spent });
  const { turns = Number.POSITIVE_INFINITY } = agentOf(run, at.node) ?? {};
  if (calls.length === 0) end(run, at.path, checked(run, at, text));
  else if (turnOf(at) + 1 >= turns) end(run, at.path, failed(new Error(`${at.node} has not answered in ${turns} turns.`)));
  else goOn(run, at, () => makeCalls(run, at, text, calls));
}

const turnOf = ({ messages }: Activation): number => messages.filter(({ role }) => role === 'assistant').length;

/** An answer that has to fit something and does not is none. */
function checked(run: Run, { node }: Activation, text: string): Outcome {
  const { output } = agentOf(run, node) ?? {};
  if (!output) return answered(text);
  try {
    output.parse(JSON.parse(text));
    return answered(text);
  } catch (cause) {
    return failed(new Error(`The answer of ${node} does not fit.`, { cause }));
  }
}

function makeCalls(run: Run, at: Activation, text: string, calls: ModelReply['calls']): void {
  const turn = turnOf(at);
  at.messages.push({ role: 'assistant', text });
  at.calls = calls;
  at.outcomes = calls.map(() => undefined);
  for (const [index, call] of calls.entries()) makeCall(run, at, call, `${at.path}/${turn}.${index}`);
}

function makeCall(run: Run, at: Activation, call: ModelReply['calls'][number], path: Path): void {
  const { delegates = [], tools = [] } = agentOf(run, at.node) ?? {};
  run.log.called(path, at.path, call.id, at.depth);
  try {
    const delegate = delegates.find((to) => run.kit.toolFor(to) === call.name);
    const probe = tools.find(({ name }) => name === call.name);
    if (delegate) delegateTo(run, at, delegate, call, path);
    else if (probe) callProbe(run, at, probe, call, path);
    else end(run, path, failed(new Error(`There is no tool ${call.name}.`)));
  } catch (error) {
    end(run, path, failed(error));
  }
}

function delegateTo(run: Run, at: Activation, node: string, { id, json }: ModelReply['calls'][number], path: Path): void {
  const { task } = run.kit.taskInput.parse(JSON.parse(json));
  const { timeout } = agentOf(run, node) ?? {};
  activate(run, { ...at, path, node, prompt: task, depth: at.depth + 1, branch: path, callId: id });
  if (timeout !== undefined && run.activations.has(path)) run.stops.after(timeout, path, `${node} took longer than ${timeout} ms.`);
}

function callProbe(run: Run, at: Activation, probe: Probe, { json }: ModelReply['calls'][number], path: Path): void {
  const input = probe.input.parse(JSON.parse(json));
  const done = (text: string): void => end(run, path, answered(text));
  probe.call(input, whatToolsGet(run, at, path)).then(done, (error: unknown) => end(run, path, failed(error)));
}

function giveResults(run: Run, at: Activation): void {
  at.messages.push({ role: 'tool', results: at.calls.map(({ id }, index) => ({ id, text: at.outcomes[index]?.text ?? '' })) });
  askModel(run, at);
}

// Limits

/** Enters an activation in the table, or tells whoever asked for it which limit forbids it; then there is nothing of it. */
function activate(run: Run, wanted: Pick<Activation, 'path' | 'node' | 'prompt' | 'depth' | 'chain' | 'bounds' | 'branch' | 'runner' | 'callId'>): void {
  const { path, node, prompt, depth, branch, callId } = wanted;
  const chain = [...wanted.chain, node];
  const bounds = narrow(wanted.bounds, agentOf(run, node)?.limits ?? {});
  const refusal = refusalOf(run, node, depth, bounds);
  if (refusal) {
    end(run, path, failed(new Error(`${refusal}, at depth ${depth} of ${chain.join(' → ')}.`)));
    return;
  }
  if (agentOf(run, node)) run.visits.push(node);
  const runner = run.team.composites.find(({ name }) => name === node)?.runner ?? wanted.runner;
  run.activations.set(path, { path, node, prompt, depth, branch, callId, runner, chain, bounds, messages: [], calls: [], outcomes: [] });
  // A composite does nothing itself, so it is no run, unless it is what the caller runs.
  if (path === ROOT || agentOf(run, node)) run.log.began(path, prompt, depth, callId);
  post(run, { kind: 'begun', path });
}

const KINDS = ['depth', 'visits', 'steps'] as const;

/** Agents are counted, composites are not: a composite does nothing itself. */
function refusalOf(run: Run, node: string, depth: number, bounds: Limits): string | undefined {
  const isAgent = agentOf(run, node) !== undefined;
  const counts = { depth, visits: isAgent ? run.visits.filter((name) => name === node).length + 1 : 0, steps: isAgent ? run.visits.length + 1 : 0 };
  const kind = KINDS.find((its) => counts[its] > (bounds[its] ?? Number.POSITIVE_INFINITY));
  return kind && `Refused: the limit on ${kind} is ${bounds[kind]}, and ${node} would make it ${counts[kind]}`;
}

function narrow(inherited: Limits, own: Limits): Limits {
  const smaller = KINDS.flatMap((kind) => (own[kind] !== undefined && own[kind] < (inherited[kind] ?? Number.POSITIVE_INFINITY) ? [[kind, own[kind]]] : []));
  return { ...inherited, ...Object.fromEntries(smaller) };
}

// Composites

const compositeOf = ({ team }: Run, { node }: Pick<Activation, 'node'>): CompositeSpec | undefined => team.composites.find(({ name }) => name === node);
const forks = ({ kind }: CompositeSpec): boolean => kind === 'parallel' || kind === 'fanout';

/** The parts of a composite, each with what makes its prompt. */
function partsOf(spec: CompositeSpec, input: string): readonly { readonly node: string; prompt(): string }[] {
  if (spec.kind === 'fanout') return spec.items(input).map((item) => ({ node: spec.part, prompt: () => item }));
  const nodes = spec.kind === 'loop' ? Array<string>(spec.times).fill(spec.part) : spec.parts;
  return nodes.map((node, index) => ({ node, prompt: () => spec.prompt(input, index) }));
}

function startParts(run: Run, at: Activation): void {
  const spec = compositeOf(run, at) as CompositeSpec;
  try {
    at.outcomes = partsOf(spec, at.prompt).map(() => undefined);
  } catch (error) {
    end(run, at.path, failed(error));
    return;
  }
  for (const index of forks(spec) ? at.outcomes.keys() : [0]) startPart(run, at, spec, index);
}

function startPart(run: Run, at: Activation, spec: CompositeSpec, index: number): void {
  const path = `${at.path}/0.${index}`;
  try {
    const { node, prompt } = partsOf(spec, at.prompt)[index] as ReturnType<typeof partsOf>[number];
    activate(run, { ...at, node, prompt: prompt(), path, branch: forks(spec) ? path : at.branch, callId: undefined });
  } catch (error) {
    end(run, path, failed(error));
  }
}

/** All parts are over, so their branches merge in the order of the parts, whichever ended first, and however. */
function endComposite(run: Run, { path, branch, outcomes }: Activation, spec: CompositeSpec): void {
  if (forks(spec)) for (const index of outcomes.keys()) mergeBranch(run, `${path}/0.${index}`, branch);
  const lost = outcomes.find((outcome) => outcome?.status === 'failed');
  end(run, path, lost ?? answered(outcomes.map((outcome) => outcome?.text).join('\n')));
}

// What tools get

function whatToolsGet(run: Run, { branch }: Activation, path: Path): ProbeContext {
  const { built } = run.team;
  const dep = (key: string): unknown => {
    const bound = [run.deps, built?.deps].find((deps) => deps?.has(key));
    if (!bound) throw new Error(`No dependency is bound to "${key}".`);
    return bound.get(key);
  };
  return { host: run.host === undefined ? built?.host : run.host, pad: padOf(run, branch), dep, signal: run.stops.watched(path) };
}

/** The value of a slot is the last one that was written to it in the same branch; in the whole run, if it is the run's. */
function padOf(run: Run, branch: Path): PadView {
  const where = ({ scope }: Slot): Path | 'run' => (scope === 'run' ? 'run' : branch);
  const get = (slot: Slot): readonly string[] => run.writes.findLast((write) => write.slot.key === slot.key && write.branch === where(slot))?.value ?? slot.init();
  return { get, update: (slot, change) => void run.writes.push({ slot, branch: where(slot), value: change(get(slot)) }) };
}

/** Merges what a branch wrote to each slot that says how. All else that it wrote is out of sight from now on. */
function mergeBranch(run: Run, branch: Path, enclosing: Path): void {
  const written = new Set(run.writes.filter((write) => write.branch === branch).map(({ slot }) => slot));
  for (const slot of written) if (slot.merge) padOf(run, enclosing).update(slot, (value) => (slot.merge as NonNullable<Slot['merge']>)(value, padOf(run, branch).get(slot)));
}

// Usage

/** Nothing is ever added up on the way: an account is read off the list of what was spent, and where. */
function account(run: Run, path: Path): UsageReport & { readonly prompt: string } {
  const spent = (fits: (place: Path) => boolean): Usage => sum(run.spendings.filter((spending) => fits(spending.path)).map(({ usage }) => usage));
  const children = [...run.activations.keys()].filter((place) => place.startsWith(`${path}/`) && place.lastIndexOf('/') === path.length);
  return {
    prompt: run.activations.get(path)?.prompt ?? run.prompt,
    own: spent((place) => place === path),
    total: spent((place) => `${place}/`.startsWith(`${path}/`)),
    children: children.map((place) => account(run, place)),
  };
}
