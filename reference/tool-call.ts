import type { JSONValue, LanguageModelV4Prompt, LanguageModelV4ToolResultOutput, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import type { ModelMessage, ToolExecutionOptions } from '@ai-sdk/provider-utils';
import type { Agent } from './agent.ts';
import { throwIfAborted } from './cancellation.ts';
import type { RequestedCall } from './conversation.ts';
import type { Equipment, EquippedTool } from './equipment.ts';
import { asError, InvalidArgumentsError, UnknownToolError } from './errors.ts';

/** What the calls of one turn have in common. */
export interface Turn {
  readonly agent: Agent;
  readonly equipment: Equipment;
  /** The conversation up to the calls, without the instructions. */
  readonly messages: LanguageModelV4Prompt;
  readonly signal: AbortSignal | undefined;
  /** What the tool of a call is handed as its context. */
  contextOf(call: RequestedCall): unknown;
}

/** Executes one call and words its result. Whatever goes wrong is a result, too, of this call only. */
export async function answer(call: RequestedCall, turn: Turn): Promise<LanguageModelV4ToolResultPart> {
  const { toolCallId, toolName } = call;
  let output: LanguageModelV4ToolResultOutput;
  try {
    const tool = toolFor(call, turn);
    const input = await inputFor(tool, call);
    throwIfAborted(turn.signal, 'Tool', toolName);
    const said = tool.execute(input, optionsFor(call, turn));
    output = worded(isStream(said) ? await lastOf(said) : await said);
  } catch (thrown) {
    output = { type: 'error-text', value: asError(thrown).message };
  }
  return { type: 'tool-result', toolCallId, toolName, output };
}

function toolFor({ toolName }: RequestedCall, { agent, equipment }: Turn): EquippedTool {
  const tool = equipment.tools.get(toolName);
  if (!tool) throw new UnknownToolError(toolName, agent.name, [...equipment.tools.keys()]);
  return tool;
}

function optionsFor(call: RequestedCall, { messages, signal, contextOf }: Turn): ToolExecutionOptions<unknown> {
  const options = { toolCallId: call.toolCallId, messages: messages as ModelMessage[], context: contextOf(call) };
  return signal ? { ...options, abortSignal: signal } : options;
}

async function inputFor({ schema }: EquippedTool, { toolName, input, flaw }: RequestedCall): Promise<unknown> {
  if (flaw) throw flaw;
  if (!schema.validate) return input;
  const checked = await schema.validate(input);
  if (checked.success) return checked.value;
  throw new InvalidArgumentsError(toolName, `do not fit its schema: ${checked.error.message}`, checked.error);
}

function worded(output: unknown): LanguageModelV4ToolResultOutput {
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: (output ?? null) as JSONValue };
}

function isStream(output: unknown): output is AsyncIterable<unknown> {
  return typeof output === 'object' && output !== null && Symbol.asyncIterator in output;
}

/** A tool that streams tells its progress; the last thing it says is its result. */
async function lastOf(stream: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const value of stream) last = value;
  return last;
}
