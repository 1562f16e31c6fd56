import type { LanguageModelV4Content, LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import { InvalidArgumentsError } from './errors.ts';
import type { Reply } from './streamed-reply.ts';

/** A tool call that a model asks for, its arguments parsed. `flaw` says why they could not be. */
export interface RequestedCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly flaw?: InvalidArgumentsError | undefined;
}

/**
 * The message that a conversation opens with: its task, and nothing of any other conversation.
 * @requirement conversation.callers-words-stay-above
 */
export function opening(message: string): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text: message }] };
}

/**
 * A conversation as a model is shown it: after its agent's instructions, if it has any.
 * @requirement conversation.instructions-are-its-own
 */
export function instructed(instructions: string, messages: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return instructions === '' ? messages : [{ role: 'system', content: instructions }, ...messages];
}

/** The calls in a reply, in order. Those that the provider executes itself are not ours to answer. */
export function callsIn({ content }: Reply): readonly RequestedCall[] {
  const calls: RequestedCall[] = [];
  for (const part of content) if (part.type === 'tool-call' && !part.providerExecuted) calls.push(parsed(part));
  return calls;
}

/**
 * The text of a reply, of any length.
 * @requirement failure.any-length-is-an-answer
 */
export function textIn({ content }: Reply): string {
  let text = '';
  for (const part of content) if (part.type === 'text') text += part.text;
  return text;
}

/**
 * A reply and the results of its calls, as the messages that the model is shown next.
 * @requirement conversation.every-call-has-one-result
 */
export function exchange(
  { content }: Reply,
  calls: readonly RequestedCall[],
  results: LanguageModelV4ToolResultPart[],
): readonly [said: LanguageModelV4Message, results: LanguageModelV4Message] {
  const said: ReplyPart[] = [];
  for (const part of content) if (part.type === 'text' || part.type === 'reasoning') said.push(recalled(part));
  for (const { toolCallId, toolName, input } of calls) said.push({ type: 'tool-call', toolCallId, toolName, input });
  return [
    { role: 'assistant', content: said },
    { role: 'tool', content: results },
  ];
}

type ReplyPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];
type SaidPart = Extract<LanguageModelV4Content, { type: 'text' | 'reasoning' }>;

/** Keeps what the provider noted on a part: some want it back, as with the signature of a thought. */
function recalled({ type, text, providerMetadata }: SaidPart): ReplyPart {
  return providerMetadata ? { type, text, providerOptions: providerMetadata } : { type, text };
}

/**
 * Parses a call's arguments, once for all who need them. Models leave them empty where there are none.
 * @requirement failure.arguments-are-parsed-once
 */
function parsed({ toolCallId, toolName, input }: Extract<LanguageModelV4Content, { type: 'tool-call' }>): RequestedCall {
  try {
    return { toolCallId, toolName, input: input.trim() === '' ? {} : JSON.parse(input) };
  } catch (cause) {
    return { toolCallId, toolName, input, flaw: new InvalidArgumentsError(toolName, 'are not JSON', cause) };
  }
}
