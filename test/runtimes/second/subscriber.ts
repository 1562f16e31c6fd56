import type { RuntimeEvent } from '../../../spec/model/ports.ts';
import { above, agentAt, depthOf, type Event, type Path, ROOT, type Run } from './run.ts';

/** Tells the caller's subscriber of an event of the interpreter. Of composites there is nothing to tell: they are no runs. */
export function tell(run: Run, event: Event): void {
  for (const told of inWords(run, event)) {
    try {
      run.onEvent(told);
    } catch {
      // Whoever listens takes no part in the run.
    }
  }
}

function inWords(run: Run, event: Event): readonly RuntimeEvent[] {
  const { path } = event;
  const isAgent = agentAt(run, path) !== undefined;
  const isCall = run.calls.has(path);
  switch (event.kind) {
    case 'begun':
      return isAgent ? [{ kind: 'run-start', ...runAt(run, path), prompt: run.activations.get(path)?.prompt }] : [];
    case 'called':
      return [{ kind: 'tool-start', ...callAt(run, path) }];
    case 'ended': {
      const { status } = event.outcome;
      return [...(isAgent ? [{ kind: 'run-end' as const, ...runAt(run, path), status }] : []), ...(isCall ? [{ kind: 'tool-end' as const, ...callAt(run, path), status }] : [])];
    }
    default:
      return [];
  }
}

type Place = Omit<RuntimeEvent, 'kind' | 'prompt' | 'status'>;

/** The run and the tool call that made it: the nearest call on the way up, of the agent right above that. */
function runAt(run: Run, path: Path): Place {
  const call = callTo(run, path);
  const parent = call && nameOf(run, above(call) as Path);
  return {
    ...everywhere(run, path),
    runId: nameOf(run, path),
    parentRunId: parent,
    parentToolCallId: call && run.calls.get(call)?.id,
    spanId: nameOf(run, path),
    parentSpanId: call && spanOf(run, call),
  };
}

function callAt(run: Run, path: Path): Place {
  const caller = above(path) as Path;
  const runId = nameOf(run, caller);
  return { ...everywhere(run, caller), runId, toolCallId: run.calls.get(path)?.id, spanId: spanOf(run, path), parentSpanId: runId };
}

/** Names follow from paths, so that nobody has to remember any. */
const nameOf = ({ id }: Run, path: Path): string => `${id}/${path}`;
const spanOf = (run: Run, call: Path): string => `call ${nameOf(run, call)}`;
const everywhere = (run: Run, path: Path) => ({ rootRunId: nameOf(run, ROOT), traceId: run.id, depth: depthOf(run, path) });

function callTo(run: Run, path: Path | undefined): Path | undefined {
  return path === undefined || run.calls.has(path) ? path : callTo(run, above(path));
}
