import type { LanguageModelV4Content, LanguageModelV4GenerateResult, LanguageModelV4StreamPart, LanguageModelV4ToolCall } from '@ai-sdk/provider';
import { IncompleteReplyError } from './errors.ts';

/** A model's reply, as far as a runner looks at it. */
export type Reply = Pick<LanguageModelV4GenerateResult, 'content' | 'usage'>;

/**
 * Reads a stream to the reply that the model would have given at once. Once the signal is aborted it is not read on,
 * and the model is told so; a stream that is only then given is read to its end, for what it cost was spent in spite of us.
 * @throws what the stream reports as its error
 * @throws IncompleteReplyError when the stream ends before the reply does
 */
export async function replyFrom(stream: ReadableStream<LanguageModelV4StreamPart>, agent: string, signal: AbortSignal | undefined, say: (delta: string) => void): Promise<Reply> {
  const reader = stream.getReader();
  let released: Promise<void> | undefined;
  const release = (): Promise<void> => (released ??= reader.cancel(signal?.reason).catch(() => {}));
  signal?.addEventListener('abort', release);
  try {
    const draft = new Draft(say);
    for (let read = await reader.read(); !read.done; read = await reader.read()) draft.take(read.value);
    return draft.reply(agent);
  } finally {
    signal?.removeEventListener('abort', release);
    await release();
  }
}

type Spoken = { type: 'text' | 'reasoning'; text: string } & Pick<Extract<LanguageModelV4Content, { type: 'text' }>, 'providerMetadata'>;
type Part<Type extends LanguageModelV4StreamPart['type']> = Extract<LanguageModelV4StreamPart, { type: Type }>;

/** A call whose arguments are still coming. Most providers send the whole call when they are there. */
interface Dictated {
  readonly start: Part<'tool-input-start'>;
  input: string;
  call?: LanguageModelV4ToolCall;
}

/** A reply that is being put together. What began first comes first, whatever ends first. */
class Draft {
  readonly #say: (delta: string) => void;
  readonly #content: (() => LanguageModelV4Content)[] = [];
  /** By kind and id: providers may number each kind by itself. */
  readonly #spoken = new Map<string, Spoken>();
  readonly #dictated = new Map<string, Dictated>();
  #finish: Part<'finish'> | undefined;

  constructor(say: (delta: string) => void) {
    this.#say = say;
  }

  take(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        this.#hear('text', part);
        break;
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        this.#hear('reasoning', part);
        break;
      case 'tool-input-start':
        this.#dictate(part);
        break;
      case 'tool-input-delta':
        this.#dictateOn(part);
        break;
      case 'tool-call':
        this.#call(part);
        break;
      case 'finish':
        this.#finish = part;
        break;
      case 'error':
        throw part.error;
      case 'tool-input-end':
      case 'stream-start':
      case 'response-metadata':
      case 'ping':
      case 'raw':
        break;
      default:
        this.#content.push(() => part);
    }
  }

  reply(agent: string): Reply {
    if (!this.#finish) throw new IncompleteReplyError(agent);
    return { content: this.#content.map((part) => part()), usage: this.#finish.usage };
  }

  #hear(type: Spoken['type'], part: Part<`${Spoken['type']}-${'start' | 'delta' | 'end'}`>): void {
    const spoken = this.#spokenOf(type, part.id);
    if (part.providerMetadata) spoken.providerMetadata = part.providerMetadata;
    if (!('delta' in part)) return;
    spoken.text += part.delta;
    if (type === 'text' && part.delta !== '') this.#say(part.delta);
  }

  #spokenOf(type: Spoken['type'], id: string): Spoken {
    const known = this.#spoken.get(`${type} ${id}`);
    if (known) return known;
    const spoken: Spoken = { type, text: '' };
    this.#spoken.set(`${type} ${id}`, spoken);
    this.#content.push(() => spoken);
    return spoken;
  }

  #dictate(start: Part<'tool-input-start'>): void {
    const dictated: Dictated = { start, input: '' };
    this.#dictated.set(start.id, dictated);
    this.#content.push(() => dictated.call ?? callFrom(dictated));
  }

  #dictateOn({ id, delta }: Part<'tool-input-delta'>): void {
    const dictated = this.#dictated.get(id);
    if (dictated) dictated.input += delta;
  }

  #call(call: LanguageModelV4ToolCall): void {
    const dictated = this.#dictated.get(call.toolCallId);
    if (dictated && !dictated.call) dictated.call = call;
    else this.#content.push(() => call);
  }
}

function callFrom({ start: { id, toolName, inputEncoding, providerExecuted, dynamic }, input }: Dictated): LanguageModelV4ToolCall {
  return {
    type: 'tool-call',
    toolCallId: id,
    toolName,
    input: inputEncoding === 'text' ? JSON.stringify(input) : input,
    ...(providerExecuted !== undefined && { providerExecuted }),
    ...(dynamic !== undefined && { dynamic }),
  };
}
