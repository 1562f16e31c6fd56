import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4GenerateResult, LanguageModelV4Message, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { ModelMessage, ModelReply, ModelRequest } from '../../spec/model/ports.ts';
import type { Reply } from './scripted-model.ts';

/** The header under which a request says which runner asks. It goes the same way over HTTP. */
export const RUNNER_HEADER = 'x-runner';

/** The end of the name of a model that overrides an agent's own. */
export const OVERRIDE = '/override';

/** Offers the scripted model as an AI SDK language model. */
export function languageModel(reply: Reply, agent: string, model: 'own' | 'override' = 'own'): LanguageModelV4 {
  const generate = async (options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> => asResult(await reply({ ...asRequest(options), model }));
  return {
    specificationVersion: 'v4',
    provider: 'delegation-tck',
    modelId: `scripted/${agent}${model === 'own' ? '' : OVERRIDE}`,
    supportedUrls: {},
    doGenerate: generate,
    doStream: async (options) => ({ stream: asStream(await generate(options)) }),
  };
}

/** A model whose requests say which runner they come from. */
export function askedThrough(runner: string, model: LanguageModelV4): LanguageModelV4 {
  const labelled = (options: LanguageModelV4CallOptions): LanguageModelV4CallOptions => ({ ...options, headers: { ...options.headers, [RUNNER_HEADER]: runner } });
  return {
    specificationVersion: 'v4',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(labelled(options)),
    doStream: (options) => model.doStream(labelled(options)),
  };
}

function asRequest({ prompt, tools = [], abortSignal, responseFormat, headers }: LanguageModelV4CallOptions): ModelRequest {
  return {
    messages: prompt.map(asMessage),
    tools: tools.map(({ name }) => name),
    signal: abortSignal,
    format: responseFormat?.type ?? 'text',
    runner: headers?.[RUNNER_HEADER],
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
      ...calls.map(({ id, name, json }) => ({ type: 'tool-call' as const, toolCallId: id, toolName: name, input: json })),
    ],
    finishReason: { unified: calls.length > 0 ? 'tool-calls' : 'stop', raw: undefined },
    usage: {
      inputTokens: { total: usage.input as number, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: usage.output as number, text: undefined, reasoning: undefined },
    },
    warnings: [],
  };
}

/** The same reply as a stream: text and arguments come in pieces. */
export function asStream({ content, finishReason, usage }: LanguageModelV4GenerateResult): ReadableStream<LanguageModelV4StreamPart> {
  const parts = content.flatMap((part, index): LanguageModelV4StreamPart[] => {
    if (part.type === 'text') return textParts(String(index), part.text);
    return part.type === 'tool-call' ? [...inputParts(part.toolCallId, part.toolName, part.input), part] : [];
  });
  return ReadableStream.from<LanguageModelV4StreamPart>([{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', finishReason, usage }]);
}

function textParts(id: string, text: string): LanguageModelV4StreamPart[] {
  return [{ type: 'text-start', id }, ...inPieces(text).map((delta) => ({ type: 'text-delta' as const, id, delta })), { type: 'text-end', id }];
}

function inputParts(id: string, toolName: string, input: string): LanguageModelV4StreamPart[] {
  return [{ type: 'tool-input-start', id, toolName }, ...inPieces(input).map((delta) => ({ type: 'tool-input-delta' as const, id, delta })), { type: 'tool-input-end', id }];
}

/** Cuts a text in three, wherever that is. */
export function inPieces(text: string): readonly string[] {
  const size = Math.ceil(text.length / 3);
  return text === '' ? [] : [text.slice(0, size), text.slice(size, 2 * size), text.slice(2 * size)];
}
