import { context } from '@opentelemetry/api';
import type { LanguageModelUsage as Usage, TextStreamPart, ToolSet } from 'ai';
import type { RunInput, RunOutcome } from '../../spec/model/ports.ts';
import { sum } from '../../spec/model/usage.ts';
import { toldTo } from './events.ts';

/** A `ToolLoopAgent` as it is called here. Its own type does not let call options be left out. */
export interface Agent {
  generate(call: Call): Promise<Result>;
  stream(call: Call): Promise<Result & { readonly stream: AsyncIterable<TextStreamPart<ToolSet>> }>;
}

interface Call {
  readonly prompt: string;
  readonly abortSignal: AbortSignal | undefined;
  readonly timeout?: number | undefined;
  readonly options?: { readonly host?: unknown };
  readonly onStepEnd?: (step: { usage: Usage }) => void;
}

/** What a call gives: each at once when it was generated, as a promise when it is streamed. `output` is there only where its shape was asked for. */
interface Result {
  readonly text: string | PromiseLike<string>;
  readonly output: unknown;
  readonly usage: Usage | PromiseLike<Usage>;
}

/** The SDK has one figure, the sum of the agent's own steps. A call that fails has none, but its steps were told to `onStepEnd`. */
export async function run(agent: Agent, structured: boolean, { prompt, host, signal, stream, onEvent }: RunInput): Promise<RunOutcome> {
  const steps: Usage[] = [];
  const call: Call = { prompt, abortSignal: signal, options: { host }, onStepEnd: ({ usage }) => void steps.push(usage) };
  const heard: Heard = {};
  try {
    const result = await context.with(toldTo(onEvent), () => (stream ? listen(agent, call, heard) : agent.generate(call)));
    const text = structured ? JSON.stringify(await result.output) : await result.text;
    const spent = tokens(await result.usage);
    return { status: 'completed', text, ...heard, usage: { own: spent, total: spent } };
  } catch (error) {
    const spent = sum(steps.map(tokens));
    return { status: signal.aborted && error === signal.reason ? 'cancelled' : 'failed', error, ...heard, usage: { own: spent, total: spent } };
  }
}

interface Heard {
  streamed?: string;
}

/** Streams a call to its end. A failure is a part of the stream, and nothing rejects for it. @throws the first. */
async function listen(agent: Agent, call: Call, heard: Heard): Promise<Result> {
  const result = await agent.stream(call);
  const failures: unknown[] = [];
  heard.streamed = '';
  for await (const part of result.stream) {
    if (part.type === 'text-delta') heard.streamed += part.text;
    if (part.type === 'error') failures.push(part.error);
  }
  if (failures.length > 0) throw failures[0];
  return result;
}

function tokens({ inputTokens: input = 0, outputTokens: output = 0 }: Usage) {
  return { input, output };
}
