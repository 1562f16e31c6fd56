import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { Agent } from './agent.ts';
import { causeOf, throwIfAborted } from './cancellation.ts';
import { instructed } from './conversation.ts';
import { type ModelRetry, persistently } from './model-retry.ts';
import type { RunContext } from './node.ts';
import { textSaid } from './run-event.ts';
import { type Reply, replyFrom } from './streamed-reply.ts';

/** How an agent's model is asked, the same in all turns of a run. */
export interface ModelAccess {
  readonly agent: Agent;
  /** The agent's, as the runner wraps it. */
  readonly model: LanguageModelV4;
  readonly settings: Omit<LanguageModelV4CallOptions, 'prompt' | 'abortSignal'>;
  readonly retry: ModelRetry;
}

/**
 * Asks the model for a turn and books what it cost at once: what comes later may fail.
 * @requirement cancellation.stops-model-calls
 */
export async function ask(access: ModelAccess, messages: LanguageModelV4Prompt, context: RunContext): Promise<Reply> {
  const { agent, settings } = access;
  const { ledger, signal } = context;
  throwIfAborted(signal, 'Agent', agent.name);
  const prompt = instructed(agent.instructions, messages);
  const asked = signal ? { ...settings, prompt, abortSignal: signal } : { ...settings, prompt };
  try {
    const reply = context.streaming ? await inPieces(access, asked, context) : await atOnce(access, asked, context);
    ledger.record({ input: reply.usage?.inputTokens?.total, output: reply.usage?.outputTokens?.total });
    return reply;
  } catch (thrown) {
    throw causeOf(thrown, signal, 'Agent', agent.name);
  }
}

function atOnce({ model, retry }: ModelAccess, asked: LanguageModelV4CallOptions, context: RunContext): PromiseLike<Reply> {
  return persistently(() => model.doGenerate(asked), retry, context);
}

/** Only the asking is tried again: what was said cannot be taken back. */
async function inPieces({ agent, model, retry }: ModelAccess, asked: LanguageModelV4CallOptions, context: RunContext): Promise<Reply> {
  const { bus, lineage, signal } = context;
  const { stream } = await persistently(() => model.doStream(asked), retry, context);
  return replyFrom(stream, agent.name, signal, (delta) => {
    if (!signal?.aborted) bus?.emit(textSaid(lineage, delta));
  });
}
