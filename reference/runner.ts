import type { LanguageModelV4GenerateResult, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import type { Ambient, Ledger, Parts } from '../spec/model/parts.ts';
import type { Agent } from './agent.ts';
import { causeOf, throwIfAborted } from './cancellation.ts';
import { callsIn, exchange, instructed, opening, type RequestedCall, textIn } from './conversation.ts';
import { type Equipment, equipmentOf } from './equipment.ts';
import { IterationLimitError } from './errors.ts';
import { createParts } from './parts.ts';
import { answer, type Turn } from './tool-call.ts';

/** Turns an agent and a message into an answer. It keeps nothing between runs and orchestrates no one. */
export interface Runner {
  /** What the runs on this runner are made of. */
  readonly parts: Parts;
  /**
   * Runs an agent until its model answers. Whatever the model throws is thrown as it is.
   * @throws CancelledError once the signal is aborted and all that was under way has ended
   * @throws IterationLimitError when the model goes on calling tools
   */
  run(agent: Agent, message: string, options: RunOptions): Promise<string>;
}

/** What a run is given besides its message. */
export interface RunOptions {
  /** Handed to every tool as its `context`. The runner does not look inside. */
  readonly ambient: Ambient;
  /** Where the run's model calls are booked. */
  readonly ledger: Ledger;
  readonly signal?: AbortSignal | undefined;
}

/** Makes a runner. One is enough for a process. */
export function createRunner(parts: Parts = createParts()): Runner {
  return Object.freeze({ parts, run: (agent: Agent, message: string, options: RunOptions) => converse(parts, agent, message, options) });
}

async function converse(parts: Parts, agent: Agent, message: string, options: RunOptions): Promise<string> {
  const equipment = await equipmentOf(agent);
  let messages: LanguageModelV4Prompt = [opening(message)];
  for (let turn = 0; turn < agent.maxIterations; turn++) {
    const reply = await ask(agent, messages, equipment, options);
    const calls = callsIn(reply);
    if (calls.length === 0) return textIn(reply);
    const results = await answerAll(calls, {
      agent,
      equipment,
      messages,
      signal: options.signal,
      contextOf: ({ toolName, toolCallId }) => parts.carry(options.ambient, { agent: agent.name, tool: toolName, toolCallId, turn }),
    });
    // A new list each turn: whoever was shown the old one may have kept it.
    messages = messages.concat(exchange(reply, calls, results));
  }
  throw new IterationLimitError(agent.name, agent.maxIterations);
}

/** Asks the model for a turn and books what it cost at once: what comes later may fail. */
async function ask(agent: Agent, messages: LanguageModelV4Prompt, { offer }: Equipment, { ledger, signal }: RunOptions): Promise<LanguageModelV4GenerateResult> {
  throwIfAborted(signal, 'Agent', agent.name);
  const asked = { ...offer, prompt: instructed(agent.instructions, messages) };
  try {
    const reply = await agent.model.doGenerate(signal ? { ...asked, abortSignal: signal } : asked);
    ledger.record({ input: reply.usage?.inputTokens?.total, output: reply.usage?.outputTokens?.total });
    return reply;
  } catch (thrown) {
    throw causeOf(thrown, signal, 'Agent', agent.name);
  }
}

/** Starts all calls at the same time. Results come in the order of the calls, whichever ends first. */
function answerAll(calls: readonly RequestedCall[], turn: Turn): Promise<LanguageModelV4ToolResultPart[]> {
  return Promise.all(calls.map((call) => answer(call, turn)));
}
