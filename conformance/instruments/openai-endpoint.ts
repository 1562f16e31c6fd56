import { z } from 'zod';
import type { ModelMessage, ModelReply } from '../../spec/model/ports.ts';
import type { Reply } from './scripted-model.ts';

const content = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() })), z.null()]).optional();

const completionRequest = z.looseObject({
  model: z.string(),
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
      return Response.json(completion(parsed.data.model, await reply({ messages: parsed.data.messages.map(asMessage) })));
    } catch (error) {
      return Response.json({ error: { message: error instanceof Error ? error.message : String(error), type: 'scripted_failure' } }, { status: 400 });
    }
  };
}

function asMessage(message: z.infer<typeof completionRequest>['messages'][number]): ModelMessage {
  const text = textOf(message.content);
  if (message.role === 'tool') return { role: 'tool', results: [{ id: message.tool_call_id, text }] };
  return { role: message.role === 'developer' ? 'system' : message.role, text };
}

function textOf(found: z.infer<typeof content>): string {
  return typeof found === 'string' ? found : (found ?? []).map(({ text = '' }) => text).join('');
}

function completion(model: string, { text, calls, usage }: ModelReply): unknown {
  const toolCalls = calls.map(({ id, name, input }) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }));
  return {
    id: 'chatcmpl-scripted',
    object: 'chat.completion',
    created: 0,
    model,
    choices: [
      {
        index: 0,
        finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
        message: { role: 'assistant', content: text || null, ...(calls.length > 0 && { tool_calls: toolCalls }) },
      },
    ],
    usage: tokens(usage),
  };
}

/** The protocol knows numbers only: usage that is spoilt otherwise (NaN, infinity, text) is left out. */
function tokens({ input, output }: ModelReply['usage']): unknown {
  return Number.isFinite(input) && Number.isFinite(output) ? { prompt_tokens: input, completion_tokens: output } : null;
}
