import type { LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import { asking, type Mutant } from '../mutant.ts';

// What models are told of their calls, spoilt on the way.

export type Result = LanguageModelV4ToolResultPart;

/** A mutant that changes the results of calls on their way to the model. Those of one turn come together. */
export function tells(what: string, change: (results: readonly Result[]) => readonly Result[], alsoBreaks: Mutant['alsoBreaks'] = []): Mutant {
  return { what, alsoBreaks, of: (adapter) => asking(adapter, () => (ask, options) => ask({ ...options, prompt: options.prompt.map((message) => retold(message, change)) })) };
}

export function retold(message: LanguageModelV4Prompt[number], change: (results: readonly Result[]) => readonly Result[]): LanguageModelV4Prompt[number] {
  return message.role === 'tool' ? { ...message, content: [...change(message.content.filter((part) => part.type === 'tool-result'))] } : message;
}

/** A mutant that says something else of certain results. */
export const rewords = (what: string, which: (text: string, tool: string) => boolean, text: string, alsoBreaks: Mutant['alsoBreaks'] = []): Mutant =>
  tells(what, (results) => results.map((result) => (which(textOf(result), result.toolName) ? { ...result, output: { type: 'text', value: text } } : result)), alsoBreaks);

export function textOf({ output }: Result): string {
  return 'value' in output ? (typeof output.value === 'string' ? output.value : JSON.stringify(output.value)) : '';
}
