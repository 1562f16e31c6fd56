import type { JSONValue, LanguageModelV4Prompt, LanguageModelV4ToolResultOutput, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import type { ModelMessage, ToolExecutionOptions } from '@ai-sdk/provider-utils';
import type { Ambient } from '../spec/model/parts.ts';
import type { Agent } from './agent.ts';
import { causeOf, throwIfAborted } from './cancellation.ts';
import type { RequestedCall } from './conversation.ts';
import type { Equipment, EquippedTool } from './equipment.ts';
import { asError, InvalidArgumentsError, UnknownToolError } from './errors.ts';
import { type ToolCall, toolCall } from './lineage.ts';
import type { RunContext } from './node.ts';
import { endingOf, toolEnd, toolStart } from './run-event.ts';

/** What the calls of one turn have in common. */
export interface Turn {
  readonly agent: Agent;
  readonly equipment: Equipment;
  /** The conversation up to the calls, without the instructions. */
  readonly messages: LanguageModelV4Prompt;
  readonly context: RunContext;
  /** What crosses to the tool of a call. */
  carried(call: RequestedCall): Ambient;
}

/**
 * Executes one call and words its result. Whatever goes wrong is a result, too, of this call only.
 * @requirement lineage.tool-calls-are-told-in-pairs
 * @requirement failure.is-told-to-the-asker
 * @requirement failure.of-a-tool-is-told
 * @requirement failure.harms-only-its-own-call
 * @requirement failure.malformed-call-is-told
 * @requirement conversation.result-belongs-to-its-call
 * @requirement executor.an-unknown-tool-is-told
 */
export async function answer(call: RequestedCall, turn: Turn): Promise<LanguageModelV4ToolResultPart> {
  const { toolCallId, toolName } = call;
  const { bus, lineage, signal } = turn.context;
  const site = toolCall(toolCallId);
  bus?.emit(toolStart(lineage, site, toolName));
  let output: LanguageModelV4ToolResultOutput;
  let error: Error | undefined;
  try {
    const tool = toolFor(call, turn);
    const input = await inputFor(tool, call);
    throwIfAborted(signal, 'Tool', toolName);
    const said = tool.execute(input, optionsFor(call, turn, site));
    output = worded(isStream(said) ? await lastOf(said) : await said);
  } catch (thrown) {
    error = asError(causeOf(thrown, signal, 'Tool', toolName));
    output = { type: 'error-text', value: error.message };
  }
  bus?.emit(toolEnd(lineage, site, toolName, endingOf(error, signal)));
  return { type: 'tool-result', toolCallId, toolName, output };
}

/**
 * Finds the tool among those of the agent whose model calls it.
 * @throws UnknownToolError when that agent has none of the name, whoever else does
 * @requirement executor.a-shared-name-is-not-a-shared-tool
 * @requirement executor.callers-tools-do-not-go-down
 * @requirement executor.tools-below-do-not-come-up
 */
function toolFor({ toolName }: RequestedCall, { agent, equipment }: Turn): EquippedTool {
  const tool = equipment.tools.get(toolName);
  if (!tool) throw new UnknownToolError(toolName, agent.name, [...equipment.tools.keys()]);
  return tool;
}

/**
 * The context of each call is its own, for what is delegated has to know which call it comes from.
 * @requirement cancellation.stops-tools
 */
function optionsFor(call: RequestedCall, { messages, context: { signal }, carried }: Turn, site: ToolCall): ToolExecutionOptions<unknown> {
  const context = { ...carried(call), call: site };
  const options = { toolCallId: call.toolCallId, messages: messages as ModelMessage[], context };
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
