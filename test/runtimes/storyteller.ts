import { randomUUID } from 'node:crypto';
import type { ModelReply, RunInput, RuntimeEvent } from '../../spec/model/ports.ts';

/** Tells the events of a run and of what it says that it does, each in its place, whether or not anything is done. */
export interface Storyteller {
  begin(): void;
  /** Tells of a call, and of the sub-agent's run if it is given its task. */
  call(call: ModelReply['calls'][number], task: string | undefined): void;
  end(status: 'completed' | 'failed'): void;
}

/** A storyteller that knows what it takes: ids, spans, traces, and that listeners may throw. */
export function storyteller({ prompt, onEvent }: RunInput): Storyteller {
  const root = randomUUID();
  const everywhere = { rootRunId: root, traceId: root };
  const run = { ...everywhere, runId: root, spanId: root, depth: 0 };
  const tell = quietly(onEvent);
  return {
    begin: () => tell({ kind: 'run-start', ...run, prompt }),
    call({ id }, task) {
      const call = { ...run, toolCallId: id, spanId: `span of ${id}`, parentSpanId: root };
      const child = { ...everywhere, runId: `${root}/${id}`, parentRunId: root, parentToolCallId: id, spanId: `${root}/${id}`, parentSpanId: call.spanId, depth: 1 };
      tell({ kind: 'tool-start', ...call });
      if (task !== undefined) tell({ kind: 'run-start', ...child, prompt: task });
      if (task !== undefined) tell({ kind: 'run-end', ...child, status: 'completed' });
      tell({ kind: 'tool-end', ...call, status: 'completed' });
    },
    end: (status) => tell({ kind: 'run-end', ...run, status }),
  };
}

/** Tells a subscriber of an event, and does not mind what it throws. */
export function quietly(onEvent: RunInput['onEvent']): RunInput['onEvent'] {
  return (event: RuntimeEvent) => {
    try {
      onEvent(event);
    } catch {
      // Whoever listens takes no part.
    }
  };
}
