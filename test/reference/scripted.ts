import type { Clock } from '../../reference/index.ts';
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Content, LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider';

/** What a scripted model says in a turn: an answer, or calls; an input that is a string is sent as it is. */
export type Said = string | readonly { readonly tool: string; readonly input?: unknown }[];

/** Options of a call as the model was given them. */
export type Asked = LanguageModelV4CallOptions;

/** A model that says one thing after the other; which one is read off the conversation, so it is right also when shared. */
export function saying(...script: readonly Said[]): LanguageModelV4 & { readonly asked: Asked[] } {
  return model((prompt) => script[turnOf(prompt)] ?? 'Done.');
}

/** A model that says what a function makes of the conversation. It keeps what it was asked. */
export function model(say: (prompt: LanguageModelV4Prompt) => Said | Promise<Said>): LanguageModelV4 & { readonly asked: Asked[] } {
  const asked: Asked[] = [];
  return {
    asked,
    specificationVersion: 'v4',
    provider: 'test',
    modelId: 'scripted',
    supportedUrls: {},
    async doGenerate(options) {
      asked.push(options);
      const said = await say(options.prompt);
      return { content: contentOf(said, options.prompt), finishReason: { unified: 'stop', raw: undefined }, usage: USAGE, warnings: [] };
    },
    async doStream(options) {
      const { content, finishReason, usage } = await this.doGenerate(options);
      return { stream: streamOf(...content.flatMap(piecesOf), { type: 'finish', finishReason, usage }) };
    },
  };
}

/** A model that answers only when it is aborted, and then fails as a provider would. `waiting` resolves when it is asked. */
export function stalling(): LanguageModelV4 & { readonly waiting: Promise<void> } {
  const { promise: waiting, resolve } = Promise.withResolvers<void>();
  const untilAborted = ({ abortSignal }: LanguageModelV4CallOptions): Promise<never> => {
    resolve();
    return new Promise((_, reject) => abortSignal?.addEventListener('abort', () => reject(new DOMException('This call was aborted.', 'AbortError'))));
  };
  return { ...saying(), waiting, doGenerate: untilAborted, doStream: untilAborted };
}

/** A clock whose time passes only when it is told to. */
export function stillClock(): Clock & { readonly waits: number[]; pass(): void } {
  const timers = new Map<() => void, number>();
  return {
    /** What is waited for, in milliseconds. */
    get waits() {
      return [...timers.values()];
    },
    setTimeout(callback, ms) {
      const ring = (): void => callback();
      timers.set(ring, ms);
      return () => void timers.delete(ring);
    },
    /** Lets all the time pass that anybody waits for. */
    pass() {
      const due = [...timers.keys()];
      timers.clear();
      for (const ring of due) ring();
    },
  };
}

/** What every model call costs. */
export const COST = { input: 3, output: 2 };
const USAGE = {
  inputTokens: { total: COST.input, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: COST.output, text: undefined, reasoning: undefined },
};

/** A stream of just these parts. */
export function streamOf(...parts: readonly LanguageModelV4StreamPart[]): ReadableStream<LanguageModelV4StreamPart> {
  return ReadableStream.from(parts);
}

/** Cuts a part in pieces of three characters, as if a provider had sent it so. */
function piecesOf(part: LanguageModelV4Content, index: number): readonly LanguageModelV4StreamPart[] {
  const id = part.type === 'tool-call' ? part.toolCallId : String(index);
  const deltas = (whole: string) => (whole.match(/.{1,3}/gs) ?? []).map((delta) => ({ id, delta }));
  if (part.type === 'text') return [{ type: 'text-start', id }, ...deltas(part.text).map((piece) => ({ ...piece, type: 'text-delta' as const })), { type: 'text-end', id }];
  if (part.type !== 'tool-call') throw new Error(`No script says "${part.type}".`);
  return [
    { type: 'tool-input-start', id, toolName: part.toolName },
    ...deltas(part.input).map((piece) => ({ ...piece, type: 'tool-input-delta' as const })),
    { type: 'tool-input-end', id },
    part,
  ];
}

/** The results that a model was shown last, as text, in order. */
export function resultsIn(prompt: LanguageModelV4Prompt | undefined): readonly string[] {
  const last = prompt?.at(-1);
  if (last?.role !== 'tool') return [];
  return last.content.map((part) => (part.type === 'tool-result' && 'value' in part.output ? String(part.output.value) : ''));
}

function turnOf(prompt: LanguageModelV4Prompt): number {
  return prompt.filter(({ role }) => role === 'assistant').length;
}

function contentOf(said: Said, prompt: LanguageModelV4Prompt): LanguageModelV4Content[] {
  if (typeof said === 'string') return [{ type: 'text', text: said }];
  return said.map(({ tool, input = {} }, index) => ({
    type: 'tool-call',
    toolCallId: `${turnOf(prompt)}.${index}`,
    toolName: tool,
    input: typeof input === 'string' ? input : JSON.stringify(input),
  }));
}
