import type { ModelMessage } from 'ai';
import type { RunInput } from '../../spec/model/ports.ts';

type Told = { readonly callId: string };
type ToldOfTool = Told & { readonly toolCall: { readonly toolCallId: string } };

/** The lifecycle callbacks of a call. Each names the call by an id and nothing around it; `onEnd` is for a call that completes. */
export function callbacksTelling(onEvent: RunInput['onEvent']) {
  return {
    onStart: ({ callId: runId, messages }: Told & { readonly messages: readonly ModelMessage[] }) =>
      onEvent({ kind: 'run-start', runId, prompt: String(messages.at(-1)?.content) }),
    onToolExecutionStart: ({ callId: runId, toolCall: { toolCallId } }: ToldOfTool) => onEvent({ kind: 'tool-start', runId, toolCallId }),
    onToolExecutionEnd: ({ callId: runId, toolCall: { toolCallId }, toolOutput: { type } }: ToldOfTool & { readonly toolOutput: { readonly type: string } }) =>
      onEvent({ kind: 'tool-end', runId, toolCallId, status: type === 'tool-error' ? 'failed' : 'completed' }),
    onEnd: ({ callId: runId }: Told) => onEvent({ kind: 'run-end', runId, status: 'completed' }),
  };
}
