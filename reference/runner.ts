import type { LanguageModelV4, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import type { FlexibleSchema } from '@ai-sdk/provider-utils';
import type { Parts } from '../spec/model/parts.ts';
import type { Agent } from './agent.ts';
import { throwIfAborted } from './cancellation.ts';
import { callsIn, exchange, opening, type RequestedCall, textIn } from './conversation.ts';
import { equipmentOf } from './equipment.ts';
import { IterationLimitError } from './errors.ts';
import { ask } from './model-call.ts';
import { type ModelRetry, modelRetry } from './model-retry.ts';
import type { RunContext } from './node.ts';
import { createParts } from './parts.ts';
import { type AnswerFormat, plainText, structuredBy } from './structured-output.ts';
import { answer, type Turn } from './tool-call.ts';

/** Turns an agent and a message into an answer. It keeps nothing between runs and orchestrates no one. */
export interface Runner {
  /** What the runs on this runner are made of. */
  readonly parts: Parts;
  /**
   * Runs an agent until its model answers. Whatever the model throws is thrown as it is. The context is handed to every
   * tool; model calls are booked on its ledger and told of on its bus.
   * @throws CancelledError once the context's signal is aborted and all that was under way has ended
   * @throws IterationLimitError when the model goes on calling tools
   */
  run(agent: Agent, message: string, context: RunContext): Promise<string>;
  /** Runs an agent in the same way for an answer that fits a schema. A runner that cannot do so has none. */
  readonly runStructured?: StructuredRun | undefined;
}

/** @throws InvalidOutputError when the answer does not fit the schema */
type StructuredRun = <Out>(agent: Agent, message: string, output: FlexibleSchema<Out>, context: RunContext) => Promise<Out>;

/** What a runner is made of. */
export interface RunnerOptions {
  /** What its runs are made of. */
  readonly parts?: Parts | undefined;
  /** Wraps each agent's model, once per run. */
  readonly middleware?: ((model: LanguageModelV4) => LanguageModelV4) | undefined;
  /** False for a runner that cannot keep to an output schema: it has no `runStructured`. It defaults to true. */
  readonly structured?: boolean | undefined;
  /** Asks a model again that could not answer for now. */
  readonly retry?: Partial<ModelRetry> | undefined;
}

/**
 * Makes a runner. It can serve any number of runs at once; one is enough for a process.
 * @throws InvalidDefinitionError when a number of `retry` makes no sense
 */
export function createRunner(options: RunnerOptions = {}): Runner {
  const { parts = createParts(), middleware = (model) => model, structured = true } = options;
  const setup: Setup = { parts, middleware, retry: modelRetry(options.retry) };
  const run: Runner['run'] = (agent, message, context) => converse(setup, agent, message, plainText, context);
  const runStructured: StructuredRun = async (agent, message, output, context) => converse(setup, agent, message, await structuredBy(output), context);
  return Object.freeze(structured ? { parts, run, runStructured } : { parts, run });
}

interface Setup {
  readonly parts: Parts;
  readonly middleware: (model: LanguageModelV4) => LanguageModelV4;
  readonly retry: ModelRetry;
}

/**
 * Lets the model take turns until it answers. The conversation is made here and gone when this ends, however it does;
 * so are the tools, which are the agent's own wherever it runs. How the agent ends is how its model does, whatever went
 * wrong in between.
 * @requirement failure.outcome-is-how-it-ended
 * @requirement failure.last-turn-is-no-answer
 * @requirement conversation.later-calls-start-anew
 * @requirement conversation.calls-at-once-are-apart
 * @requirement conversation.runs-start-anew
 * @requirement conversation.earlier-turns-are-kept
 * @requirement conversation.a-sub-agent-can-be-called-again
 * @requirement executor.own-tools-work-everywhere
 */
async function converse<Out>({ parts, middleware, retry }: Setup, agent: Agent, message: string, format: AnswerFormat<Out>, context: RunContext): Promise<Out> {
  const equipment = await equipmentOf(agent);
  const access = { agent, model: middleware(agent.model), settings: { ...equipment.offer, ...format.settings }, retry };
  let messages: LanguageModelV4Prompt = [opening(message)];
  for (let turn = 0; turn < agent.maxIterations; turn++) {
    const reply = await ask(access, messages, context);
    const calls = callsIn(reply);
    if (calls.length === 0) return format.read(textIn(reply), agent.name);
    throwIfAborted(context.signal, 'Agent', agent.name);
    const results = await answerAll(calls, {
      agent,
      equipment,
      messages,
      context,
      carried: ({ toolName, toolCallId }) => parts.carry(context, { agent: agent.name, tool: toolName, toolCallId, turn }),
    });
    // A new list each turn: whoever was shown the old one may have kept it.
    messages = messages.concat(exchange(reply, calls, results));
  }
  throw new IterationLimitError(agent.name, agent.maxIterations);
}

/**
 * Starts all calls at the same time. Results come in the order of the calls, whichever ends first; all are waited for.
 * @requirement conversation.results-come-in-call-order
 * @requirement cancellation.nothing-outlives-its-run
 */
function answerAll(calls: readonly RequestedCall[], turn: Turn): Promise<LanguageModelV4ToolResultPart[]> {
  return Promise.all(calls.map((call) => answer(call, turn)));
}
