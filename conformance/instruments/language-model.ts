import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4GenerateResult, LanguageModelV4Message, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { ModelMessage, ModelReply } from '../../spec/model/ports.ts';
import type { Reply } from './scripted-model.ts';

/** Offers the scripted model as an AI SDK language model. */
export function languageModel(reply: Reply, agent: string): LanguageModelV4 {
  const generate = async ({ prompt }: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> => asResult(await reply({ messages: prompt.map(asMessage) }));
  return {
    specificationVersion: 'v4',
    provider: 'delegation-tck',
    modelId: `scripted/${agent}`,
    supportedUrls: {},
    doGenerate: generate,
    doStream: async (options) => ({ stream: asStream(await generate(options)) }),
  };
}

function asMessage(message: LanguageModelV4Message): ModelMessage {
  switch (message.role) {
    case 'system':
      return { role: 'system', text: message.content };
    case 'tool':
      return { role: 'tool', results: message.content.flatMap((part) => (part.type === 'tool-result' ? [{ id: part.toolCallId, text: textOf(part.output) }] : [])) };
    default:
      return { role: message.role, text: message.content.map((part) => ('text' in part ? part.text : '')).join('') };
  }
}

function textOf(output: { type: string; value?: unknown; reason?: string | undefined }): string {
  if (typeof output.value === 'string') return output.value;
  return output.value === undefined ? (output.reason ?? '') : JSON.stringify(output.value);
}

/** Spoilt usage goes through as it is: to see what a runtime does with it is the point. */
function asResult({ text, calls, usage }: ModelReply): LanguageModelV4GenerateResult {
  return {
    content: [
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...calls.map(({ id, name, input }) => ({ type: 'tool-call' as const, toolCallId: id, toolName: name, input: JSON.stringify(input) })),
    ],
    finishReason: { unified: calls.length > 0 ? 'tool-calls' : 'stop', raw: undefined },
    usage: {
      inputTokens: { total: usage.input as number, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: usage.output as number, text: undefined, reasoning: undefined },
    },
    warnings: [],
  };
}

function asStream({ content, finishReason, usage }: LanguageModelV4GenerateResult): ReadableStream<LanguageModelV4StreamPart> {
  const parts = content.flatMap((part, index): LanguageModelV4StreamPart[] => {
    const id = String(index);
    if (part.type === 'text')
      return [
        { type: 'text-start', id },
        { type: 'text-delta', id, delta: part.text },
        { type: 'text-end', id },
      ];
    return part.type === 'tool-call' ? [part] : [];
  });
  return ReadableStream.from<LanguageModelV4StreamPart>([{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', finishReason, usage }]);
}
