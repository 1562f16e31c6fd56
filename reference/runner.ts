import type { LanguageModelV4GenerateResult, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import type { Parts } from '../spec/model/parts.ts';
import type { Agent } from './agent.ts';
import { causeOf, throwIfAborted } from './cancellation.ts';
import { callsIn, exchange, instructed, opening, type RequestedCall, textIn } from './conversation.ts';
import { type Equipment, equipmentOf } from './equipment.ts';
import { IterationLimitError } from './errors.ts';
import type { RunContext } from './node.ts';
import { createParts } from './parts.ts';
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
}

/** Makes a runner. It can serve any number of runs at once; one is enough for a process. */
export function createRunner(parts: Parts = createParts()): Runner {
  return Object.freeze({ parts, run: (agent: Agent, message: string, context: RunContext) => converse(parts, agent, message, context) });
}

async function converse(parts: Parts, agent: Agent, message: string, context: RunContext): Promise<string> {
  const equipment = await equipmentOf(agent);
  let messages: LanguageModelV4Prompt = [opening(message)];
  for (let turn = 0; turn < agent.maxIterations; turn++) {
    const reply = await ask(agent, messages, equipment, context);
    const calls = callsIn(reply);
    if (calls.length === 0) return textIn(reply);
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

/** Asks the model for a turn and books what it cost at once: what comes later may fail. */
async function ask(agent: Agent, messages: LanguageModelV4Prompt, { offer }: Equipment, { ledger, signal }: RunContext): Promise<LanguageModelV4GenerateResult> {
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
