import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4GenerateResult, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { Agent } from './agent.ts';
import { causeOf, throwIfAborted } from './cancellation.ts';
import { instructed } from './conversation.ts';
import { type ModelRetry, persistently } from './model-retry.ts';
import type { RunContext } from './node.ts';

/** How an agent's model is asked, the same in all turns of a run. */
export interface ModelAccess {
  readonly agent: Agent;
  /** The agent's, as the runner wraps it. */
  readonly model: LanguageModelV4;
  readonly settings: Omit<LanguageModelV4CallOptions, 'prompt' | 'abortSignal'>;
  readonly retry: ModelRetry;
}

/** Asks the model for a turn and books what it cost at once: what comes later may fail. */
export async function ask({ agent, model, settings, retry }: ModelAccess, messages: LanguageModelV4Prompt, context: RunContext): Promise<LanguageModelV4GenerateResult> {
  const { ledger, signal } = context;
  throwIfAborted(signal, 'Agent', agent.name);
  const asked = { ...settings, prompt: instructed(agent.instructions, messages), ...(signal && { abortSignal: signal }) };
  try {
    const reply = await persistently(async () => model.doGenerate(asked), retry, context);
    ledger.record({ input: reply.usage?.inputTokens?.total, output: reply.usage?.outputTokens?.total });
    return reply;
  } catch (thrown) {
    throw causeOf(thrown, signal, 'Agent', agent.name);
  }
}
