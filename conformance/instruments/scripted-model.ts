import type { ModelReply, ModelRequest } from '../../spec/model/ports.ts';
import { answerOf, calleeOf, type CallRef, callRef, depthOf, instructionsOf, longAnswerOf, modelFlaw, promptFor, refIn, type Ref, scriptOf, turnAt } from '../../spec/model/ref.ts';
import type { AgentTask, Call, Scenario, UsageKind } from '../../spec/model/scenario.ts';
import { nodeNames, probeName, toolFor } from '../../spec/model/tools.ts';
import type { Usage } from '../../spec/model/usage.ts';
import { thrownAs } from './failure.ts';
import type { Recorder } from './recorder.ts';
import type { Schedule } from './schedule.ts';
import { straysIn } from './strays.ts';

/** A runtime without a limit is let go this many delegations deep, then its model only answers. */
const FUSE_DEPTH = 128;

/** A run that asks the model more often than this never ends by itself. */
const FUSE_TURNS = 1_000;

export type Reply = (request: ModelRequest) => Promise<ModelReply>;

/**
 * The scripted model: a pure function of the conversation that it is shown. The last user message names the task, the
 * assistant messages since count the turn; so it is right under parallel calls, retries and replays. What it was shown
 * and what it said is written down.
 */
export function scriptedModel(scenario: Scenario, recorder: Recorder, schedule: Schedule): Reply {
  const names = nodeNames(scenario);
  let turns = 0;
  let blown = false;

  const fuse = (ref: Ref): boolean => {
    turns++;
    if (!blown && (depthOf(ref) > FUSE_DEPTH || turns > FUSE_TURNS)) {
      blown = true;
      recorder.record({ kind: 'runaway' });
    }
    return blown;
  };

  return async (request) => {
    const { ref, turn, results, earlier } = read(request);
    const script = ref === undefined ? undefined : scriptOf(scenario, ref);
    if (ref === undefined || script?.kind !== 'agent') {
      throw recorder.fault(
        'A model was asked to reply to a conversation whose last user message is not a prompt of the kit. Pass the prompts of the run and of delegation tools on unchanged.',
      );
    }
    const { tools = null, runner = null, model = 'own', format = 'text', signal } = request;
    const strays = straysIn(request, ref, script.agent);
    const instructed = request.messages.some((message) => 'text' in message && message.text.includes(instructionsOf(script.agent)));
    recorder.record({ kind: 'model-asked', task: ref, turn, results, earlier, strays, instructed, offered: tools, runner, model, format });
    const calls = fuse(ref) || isToldNo(script, results) ? undefined : turnAt(script, turn);
    if ((await wait(ref, turn, calls === undefined && script.ending === 'hang', signal)) === 'stopped') {
      recorder.record({ kind: 'model-stopped', task: ref, turn });
      throw signal?.reason;
    }
    const failed = calls === undefined && script.ending === 'fail';
    const price = priceOf(ref, turn);
    const spent = script.usage === 'sound' && !failed ? price : null;
    recorder.record({ kind: 'model-replied', task: ref, turn, reply: failed ? 'failure' : calls ? 'calls' : 'answer', spent });
    if (failed) throw thrownAs(script.failure, modelFlaw(ref));
    return {
      text: calls ? '' : worded(script, ref),
      calls: (calls ?? []).map((call, index) => toolCall(call, callRef(ref, turn, index))),
      usage: spoil(price, script.usage),
    };
  };

  /** Waits as long as the scenario has a model wait. */
  async function wait(ref: Ref, turn: number, forEver: boolean, signal: AbortSignal | undefined): Promise<'open' | 'stopped'> {
    if (signal?.aborted) return 'stopped';
    if (forEver) return schedule.hang(signal);
    return scenario.modelsWait && !blown ? schedule.gate(`${ref} turn ${turn}`, signal) : 'open';
  }

  function toolCall(call: Call, name: CallRef): ModelReply['calls'][number] {
    const id = idOf(name);
    if (call.kind === 'probe') return { id, name: probeName(call.of), json: argumentsOf(call, { call: name }) };
    const callee = calleeOf(name);
    return { id, name: toolFor(names.of(scenario, callee)), json: argumentsOf(call, { task: promptFor(callee) }) };
  }

  /** The answer that ends a task, in the shape that its agent's answers have. */
  function worded({ agent, answer }: AgentTask, ref: Ref): string {
    const text = answer === 'empty' ? '' : answer === 'huge' ? longAnswerOf(ref) : answerOf(ref);
    if (scenario.agents?.[agent]?.output === undefined) return text;
    return JSON.stringify(answer === 'unfit' ? { reply: 1 } : { answer: text });
  }
}

/** A call's arguments as its model writes them. */
function argumentsOf(call: Call, right: Readonly<Record<string, string>>): string {
  const malformed = call.kind === 'recurse' ? undefined : call.malformed;
  if (malformed === 'unfit') return JSON.stringify({ wrong: Object.keys(right) });
  const json = JSON.stringify(right);
  return malformed === 'not-json' ? json.slice(0, -2) : json;
}

/** A task that never ends by itself is given up when a call of it does not go well. */
function isToldNo({ ending }: AgentTask, results: readonly { readonly text: string }[]): boolean {
  return ending === 'forever' && results.some(({ text }) => !/\b(Done with|Did) r\d/.test(text));
}

/** What a conversation says of where it stands. */
interface Standing {
  readonly ref: Ref | undefined;
  readonly turn: number;
  readonly results: readonly { readonly call: CallRef; readonly text: string }[];
  readonly earlier: number;
}

/** Reads the task, the turn and the results of the turn before out of a conversation. A runtime may add reminders of its own. */
function read({ messages }: ModelRequest): Standing {
  const start = messages.findLastIndex((message) => message.role === 'user' && refIn(message.text) !== undefined);
  const prompt = messages[start];
  const since = messages.slice(start + 1);
  const turn = since.filter((message) => message.role === 'assistant').length;
  const last = since.findLastIndex((message) => message.role === 'assistant');
  const results = resultsIn(since.slice(last + 1));
  return { ref: prompt && 'text' in prompt ? refIn(prompt.text) : undefined, turn, results, earlier: resultsIn(since.slice(0, Math.max(0, last))).length };
}

function resultsIn(messages: ModelRequest['messages']): Standing['results'] {
  return messages.flatMap((message) => (message.role === 'tool' ? message.results.map(({ id, text }) => ({ call: nameOf(id), text })) : []));
}

/** Tool call ids use only the characters that every provider accepts. */
const TO_ID: readonly (readonly [string, string])[] = [
  [':', '__'],
  ['/', '_'],
  ['.', '-'],
  ['#', 'h'],
];

function idOf(name: CallRef): string {
  return `call_${TO_ID.reduce((text, [from, to]) => text.replaceAll(from, to), name as string)}`;
}

/** The call that an id is of. */
export function nameOf(id: string): CallRef {
  return TO_ID.reduce((text, [to, from]) => text.replaceAll(from, to), id.replace(/^call_/, ''));
}

/** What a turn costs: different for nearly every turn, and the same whenever it is asked again. */
function priceOf(ref: Ref, turn: number): Usage {
  let hash = turn + 17;
  for (const char of ref) hash = (hash * 31 + char.charCodeAt(0)) % 1_000_003;
  return { input: 10 + (hash % 90), output: 1 + (hash % 37) };
}

function spoil(usage: Usage, kind: UsageKind): ModelReply['usage'] {
  switch (kind) {
    case 'sound':
      return usage;
    case 'nan':
      return { input: Number.NaN, output: usage.output };
    case 'infinite':
      return { input: usage.input, output: Number.POSITIVE_INFINITY };
    case 'negative':
      return { input: -usage.input, output: usage.output };
    case 'text':
      return { input: String(usage.input), output: usage.output };
  }
}
