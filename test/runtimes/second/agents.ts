import type { AgentSpec, ModelReply, Probe } from '../../../spec/model/ports.ts';
import { usageSchema } from '../../../spec/model/usage.ts';
import { activate } from './limits.ts';
import { answered, attempt, end, failed } from './outcome.ts';
import { above, type Activation, agentAt, type Path, post, type Run } from './run.ts';
import { isAble, runnerAt } from './runners.ts';
import { whatToolsGet } from './state.ts';
import { workAt } from './stops.ts';

/** How many turns a model may take whose agent does not say. */
const MOST_TURNS = 200;

/** Asks the model of an agent for its next turn, unless it has had them all, or runs where it cannot be asked. */
export function askModel(run: Run, path: Path): void {
  const [{ messages, prompt }, { name, instructions, turns = MOST_TURNS }] = agentIn(run, path);
  if (messages.length === 0) messages.push({ role: 'system', text: instructions }, { role: 'user', text: prompt });
  const said = (reply: ModelReply): void => post(run, { kind: 'said', path, reply });
  const broken = (thrown: unknown): void => end(run, path, failed(thrown));
  if (!isAble(run, path)) broken(new Error(`The ${name} has to answer in a structure, and runner ${runnerAt(run, path)} has none.`));
  else if (turnOf(run, path) === turns) broken(new Error(`The ${name} has used up its ${turns} turns without an answer.`));
  else workAt(run, path, (signal) => run.kit.reply({ ...waysOfAsking(run, path), messages: [...messages], signal }), said, broken);
}

function waysOfAsking(run: Run, path: Path) {
  const [, { tools, delegates, output, overridden }] = agentIn(run, path);
  return {
    tools: [...tools.map(({ name }) => name), ...delegates.map(run.kit.toolFor)],
    format: output ? ('json' as const) : ('text' as const),
    runner: runnerAt(run, path),
    model: overridden ? ('override' as const) : ('own' as const),
  };
}

/** Takes a turn of a model up: its calls, or its answer. */
export function hear(run: Run, path: Path, { text, calls }: ModelReply): void {
  const [activation, { output }] = agentIn(run, path);
  run.sayings.push({ path, text });
  if (calls.length === 0) {
    attempt(
      run,
      path,
      () => (output ? JSON.stringify(output.parse(JSON.parse(text))) : text),
      (answer) => end(run, path, answered(answer)),
    );
    return;
  }
  const places = calls.map((_, index) => `${path}/${turnOf(run, path)}.${index}`);
  for (const [index, place] of places.entries()) run.calls.set(place, calls[index] as ModelReply['calls'][number]);
  activation.messages.push({ role: 'assistant', text });
  activation.outcomes = calls.map(() => undefined);
  for (const place of places) post(run, { kind: 'called', path: place });
}

/** Books what a turn cost, whatever becomes of it. */
export function book(run: Run, path: Path, { usage }: ModelReply): void {
  const { success: isSound, data: spent } = usageSchema.safeParse(usage);
  if (isSound) run.spendings.push({ path, usage: spent });
}

/** Makes the call that leads to a place. */
export function makeCall(run: Run, path: Path): void {
  const { name, json } = run.calls.get(path) as ModelReply['calls'][number];
  const { taskInput, toolFor } = run.kit;
  const { delegates, tools } = agentAt(run, above(path)) as AgentSpec;
  const delegate = delegates.find((to) => toolFor(to) === name);
  const probe = tools.find((tool) => tool.name === name);
  if (delegate)
    attempt(
      run,
      path,
      () => taskInput.parse(JSON.parse(json)),
      ({ task }) => activate(run, path, delegate, task),
    );
  else if (probe)
    attempt(
      run,
      path,
      () => probe.input.parse(JSON.parse(json)),
      (input) => useTool(run, path, probe, input),
    );
  else end(run, path, failed(new Error(`There is no tool ${name}.`)));
}

function useTool(run: Run, path: Path, probe: Probe, input: { call: string }): void {
  workAt(
    run,
    path,
    (signal) => probe.call(input, whatToolsGet(run, path, signal)),
    (text) => end(run, path, answered(text)),
    (thrown) => end(run, path, failed(thrown)),
  );
}

/** Tells a model what came of the calls of its turn, and asks it for the next. */
export function giveResults(run: Run, path: Path): void {
  const [{ messages, outcomes }] = agentIn(run, path);
  const turn = turnOf(run, path) - 1;
  messages.push({ role: 'tool', results: outcomes.map((outcome, index) => ({ id: run.calls.get(`${path}/${turn}.${index}`)?.id ?? '', text: outcome?.text ?? '' })) });
  askModel(run, path);
}

/** How many turns a model has taken. */
function turnOf(run: Run, path: Path): number {
  return agentIn(run, path)[0].messages.filter(({ role }) => role === 'assistant').length;
}

function agentIn(run: Run, path: Path): readonly [Activation, AgentSpec] {
  return [run.activations.get(path) as Activation, agentAt(run, path) as AgentSpec];
}
