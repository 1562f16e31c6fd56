import type { RuntimeEvent } from '../../../spec/model/ports.ts';
import { above, agentAt, compositeAt, depthOf, type Event, type Path, ROOT, type Run } from './run.ts';

/** Tells the caller's subscriber of an event of the interpreter, where there is something to tell. */
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
  const hasRun = isRun(run, path);
  const isCall = run.calls.has(path);
  switch (event.kind) {
    case 'begun':
      return hasRun ? [{ kind: 'run-start', ...runAt(run, path), prompt: run.activations.get(path)?.prompt }] : [];
    case 'called':
      return [{ kind: 'tool-start', ...callAt(run, path) }];
    case 'ended': {
      const { status } = event.outcome;
      return [...(hasRun ? [{ kind: 'run-end' as const, ...runAt(run, path), status }] : []), ...(isCall ? [{ kind: 'tool-end' as const, ...callAt(run, path), status }] : [])];
    }
    default:
      return [];
  }
}

type Place = Omit<RuntimeEvent, 'kind' | 'prompt' | 'status'>;

/** Tells whether a place is a run of its own. Composites do nothing themselves, so whether they are is a matter of taste. */
function isRun(run: Run, path: Path): boolean {
  return agentAt(run, path) !== undefined || (run.tellsOfComposites && compositeAt(run, path) !== undefined);
}

/** A run, the nearest one above, and the tool call between the two. */
function runAt(run: Run, path: Path): Place {
  const [parent, call] = [nearest(run, above(path)), callTo(run, path)];
  return {
    ...everywhere(run, path),
    runId: nameOf(run, path),
    parentRunId: parent && nameOf(run, parent),
    parentToolCallId: call && run.calls.get(call)?.id,
    spanId: nameOf(run, path),
    parentSpanId: call ? spanOf(run, call) : parent && nameOf(run, parent),
  };
}

function nearest(run: Run, path: Path | undefined): Path | undefined {
  return path === undefined || isRun(run, path) ? path : nearest(run, above(path));
}

function callTo(run: Run, path: Path): Path | undefined {
  const up = above(path);
  if (run.calls.has(path) || up === undefined) return up && path;
  return isRun(run, up) ? undefined : callTo(run, up);
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
