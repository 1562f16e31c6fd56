import type { LanguageModelV4, LanguageModelV4Message, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';

/** Tools as plain functions of a task, by name. */
type Functions = Readonly<Record<string, (args: { task: string }) => Promise<string>>>;

/**
 * What one writes who has no runtime: a loop around a model that calls functions. It does what has to be done for the
 * same model to see the same conversation, and nothing else: no limits, no state, no books, no errors.
 */
export async function bareLoop(model: LanguageModelV4, tools: Functions, message: string): Promise<string> {
  const prompt: LanguageModelV4Message[] = [{ role: 'user', content: [{ type: 'text', text: message }] }];
  for (;;) {
    const { content } = await model.doGenerate({ prompt: [...prompt] });
    const calls = content.filter((part) => part.type === 'tool-call').map((call) => ({ ...call, input: JSON.parse(call.input) }));
    if (calls.length === 0) return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    const answer = async ({ toolCallId, toolName, input }: (typeof calls)[number]): Promise<LanguageModelV4ToolResultPart> => {
      const value = await (tools[toolName] as Functions[string])(input);
      return { type: 'tool-result', toolCallId, toolName, output: { type: 'text', value } };
    };
    prompt.push({ role: 'assistant', content: calls }, { role: 'tool', content: await Promise.all(calls.map(answer)) });
  }
}
