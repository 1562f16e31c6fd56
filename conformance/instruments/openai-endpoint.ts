import { z } from 'zod';
import type { ModelMessage, ModelReply, ModelRequest } from '../../spec/model/ports.ts';
import { inPieces, OVERRIDE, RUNNER_HEADER } from './language-model.ts';
import type { Reply } from './scripted-model.ts';

const content = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() })), z.null()]).optional();

const completionRequest = z.looseObject({
  model: z.string(),
  stream: z.boolean().nullish(),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
  messages: z.array(
    z.discriminatedUnion('role', [
      z.looseObject({ role: z.enum(['system', 'developer', 'user', 'assistant']), content }),
      z.looseObject({ role: z.literal('tool'), tool_call_id: z.string(), content }),
    ]),
  ),
});

/**
 * Offers the scripted model as an OpenAI-compatible chat completions endpoint, for runtimes that speak nothing else. It
 * answers a request; who carries it there, a loopback server or an interceptor, is the adapter's choice. A model that
 * fails is a 400, which no client tries again.
 */
export function openaiEndpoint(reply: Reply): (request: Request) => Promise<Response> {
  return async (request) => {
    const parsed = completionRequest.safeParse(await request.json());
    if (!parsed.success)
      return Response.json({ error: { message: `Not a chat completions request: ${z.prettifyError(parsed.error)}`, type: 'invalid_request_error' } }, { status: 400 });
    try {
      const said = await reply(asRequest(parsed.data, request));
      return parsed.data.stream ? streamed(parsed.data.model, said) : Response.json(completion(parsed.data.model, said));
    } catch (error) {
      return Response.json({ error: { message: error instanceof Error ? error.message : String(error), type: 'scripted_failure' } }, { status: 400 });
    }
  };
}

type CompletionRequest = z.infer<typeof completionRequest>;

function asRequest({ model, messages, tools, response_format }: CompletionRequest, { headers, signal }: Request): ModelRequest {
  return {
    messages: messages.map(asMessage),
    tools: (tools ?? []).map((tool) => tool.function.name),
    signal,
    format: response_format && response_format.type !== 'text' ? 'json' : 'text',
    runner: headers.get(RUNNER_HEADER) ?? undefined,
    model: model.endsWith(OVERRIDE) ? 'override' : 'own',
  };
}

function asMessage(message: CompletionRequest['messages'][number]): ModelMessage {
  const text = textOf(message.content);
  if (message.role === 'tool') return { role: 'tool', results: [{ id: message.tool_call_id, text }] };
  return { role: message.role === 'developer' ? 'system' : message.role, text };
}

function textOf(found: z.infer<typeof content>): string {
  return typeof found === 'string' ? found : (found ?? []).map(({ text = '' }) => text).join('');
}

function completion(model: string, { text, calls, usage }: ModelReply): unknown {
  const message = { role: 'assistant', content: text || null, ...(calls.length > 0 && { tool_calls: calls.map(toolCall) }) };
  return { ...headOf(model), object: 'chat.completion', choices: [{ index: 0, finish_reason: reasonFor(calls), message }], usage: tokens(usage) };
}

/** The same, as server-sent events: text and arguments come in pieces, the usage in the last. */
function streamed(model: string, { text, calls, usage }: ModelReply): Response {
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    ...headOf(model),
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const started = calls.map((call, index) => ({ index, ...toolCall({ ...call, json: '' }) }));
  const chunks = [
    chunk({ role: 'assistant', content: '' }),
    ...inPieces(text).map((content) => chunk({ content })),
    ...started.map((call) => chunk({ tool_calls: [call] })),
    ...calls.flatMap(({ json }, index) => inPieces(json).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] }))),
    { ...chunk({}, reasonFor(calls)), usage: tokens(usage) },
  ];
  const lines = [...chunks.map((data) => JSON.stringify(data)), '[DONE]'].map((data) => `data: ${data}\n\n`);
  return new Response(lines.join(''), { headers: { 'content-type': 'text/event-stream' } });
}

function headOf(model: string): object {
  return { id: 'chatcmpl-scripted', created: 0, model };
}

function reasonFor(calls: ModelReply['calls']): string {
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

function toolCall({ id, name, json }: ModelReply['calls'][number]): object {
  return { id, type: 'function', function: { name, arguments: json } };
}

/** The protocol knows numbers only: usage that is spoilt otherwise (NaN, infinity, text) is left out. */
function tokens({ input, output }: ModelReply['usage']): unknown {
  return Number.isFinite(input) && Number.isFinite(output) ? { prompt_tokens: input, completion_tokens: output } : null;
}
