import type { LanguageModelV4, LanguageModelV4Content, LanguageModelV4GenerateResult, LanguageModelV4Prompt } from '@ai-sdk/provider';

/** A call that a model makes, by the name of a tool that takes a task. */
export interface ScriptedCall {
  readonly tool: string;
  readonly task: string;
}

/** A model that makes calls when it is asked for the first time, and answers when it is shown their results. */
export function callingOnce(calls: readonly ScriptedCall[]): LanguageModelV4 {
  const asks = replyWith(calls.map(callPart));
  return scripted((prompt) => (prompt.at(-1)?.role === 'tool' ? ANSWER : asks));
}

/** A model that hands on a task that is a number, one less each time, until it is 0, and answers with what it was told. */
export function countingDown(tool: string): LanguageModelV4 {
  return scripted((prompt) => {
    const last = prompt.at(-1);
    const [part] = last?.role === 'user' || last?.role === 'tool' ? last.content : [];
    if (part?.type === 'tool-result' && 'value' in part.output) return replyWith([{ type: 'text', text: String(part.output.value) }]);
    const left = part?.type === 'text' ? Number(part.text) : 0;
    return left === 0 ? ANSWER : replyWith([callPart({ tool, task: String(left - 1) }, 0)]);
  });
}

/** A model that does the least that a model can do: what is measured is everything around it. */
function scripted(reply: (prompt: LanguageModelV4Prompt) => LanguageModelV4GenerateResult): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: async ({ prompt }) => reply(prompt),
    doStream: () => Promise.reject(new Error('This model does not stream.')),
  };
}

function callPart({ tool, task }: ScriptedCall, index: number): LanguageModelV4Content {
  return { type: 'tool-call', toolCallId: `call-${index}`, toolName: tool, input: JSON.stringify({ task }) };
}

function replyWith(content: LanguageModelV4Content[]): LanguageModelV4GenerateResult {
  return {
    content,
    finishReason: { unified: 'stop', raw: undefined },
    usage: {
      inputTokens: { total: 3, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 2, text: undefined, reasoning: undefined },
    },
    warnings: [],
  };
}

const ANSWER = replyWith([{ type: 'text', text: 'Done.' }]);
