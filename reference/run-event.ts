import type { Usage } from '../spec/model/usage.ts';
import { isDelegationError } from './errors.ts';
import type { Lineage, ToolCall } from './lineage.ts';

/** What happens in a run. Plain and frozen; an `error` is the very one that the run's result has. */
export type RunEvent = RunStartEvent | RunEndEvent | ToolStartEvent | ToolEndEvent | TextEvent;

/** A run starts. One that is refused, by a limit or because it was aborted before, never does. */
export interface RunStartEvent extends Lineage {
  readonly kind: 'run-start';
  readonly node: string;
  /** As the node was given it. */
  readonly input: unknown;
}

/** A run has ended, after all below it. There is exactly one for each start, whichever way it went. */
export interface RunEndEvent extends Lineage, Ending {
  readonly kind: 'run-end';
  readonly node: string;
  /** What its own model calls cost. Composites and functions have none. */
  readonly usage?: Usage;
}

/** A model has called a tool. */
export interface ToolStartEvent extends ToolPlace {
  readonly kind: 'tool-start';
}

/** A tool call has its result. There is exactly one for each start. */
export interface ToolEndEvent extends ToolPlace, Ending {
  readonly kind: 'tool-end';
}

/** A model has said some more of its text. Told only of runs that stream. */
export interface TextEvent extends InRun {
  readonly kind: 'text';
  readonly delta: string;
}

/** How a run or a tool call ended. `error` is there when it is not completed. */
export interface Ending {
  readonly status: 'completed' | 'failed' | 'cancelled';
  readonly error?: Error;
}

type InRun = Pick<Lineage, 'runId' | 'rootRunId' | 'traceId' | 'depth'>;

/** A tool call belongs to the run whose model made it. */
interface ToolPlace extends InRun, ToolCall {
  readonly toolName: string;
  /** The span of its run. */
  readonly parentSpanId: string;
}

/**
 * Words an ending. Only what the caller's abort ended is cancelled: by `signal`, not by the wording of the error.
 * @requirement lineage.ends-say-how-it-ended
 */
export function endingOf(error: Error | undefined, signal: AbortSignal | undefined): Ending {
  if (error === undefined) return { status: 'completed' };
  return { status: signal?.aborted && isDelegationError(error, 'cancelled') ? 'cancelled' : 'failed', error };
}

export function runStart(lineage: Lineage, node: string, input: unknown): RunStartEvent {
  return Object.freeze({ kind: 'run-start', ...written(lineage), node, input });
}

export function runEnd(lineage: Lineage, node: string, ending: Ending, usage: Usage | undefined): RunEndEvent {
  return Object.freeze({ kind: 'run-end', ...written(lineage), node, ...ending, ...(usage && { usage }) });
}

export function toolStart(lineage: Lineage, call: ToolCall, toolName: string): ToolStartEvent {
  return Object.freeze({ kind: 'tool-start', ...toolPlace(lineage, call, toolName) });
}

export function toolEnd(lineage: Lineage, call: ToolCall, toolName: string, ending: Ending): ToolEndEvent {
  return Object.freeze({ kind: 'tool-end', ...toolPlace(lineage, call, toolName), ...ending });
}

export function textSaid(lineage: Lineage, delta: string): TextEvent {
  return Object.freeze({ kind: 'text', ...inRun(lineage), delta });
}

/** A place as plain data, without what it does not have. */
function written(lineage: Lineage): Lineage {
  const { parentRunId, parentToolCallId, parentSpanId, spanId } = lineage;
  return {
    ...inRun(lineage),
    spanId,
    ...(parentRunId !== undefined && { parentRunId }),
    ...(parentToolCallId !== undefined && { parentToolCallId }),
    ...(parentSpanId !== undefined && { parentSpanId }),
  };
}

function toolPlace(lineage: Lineage, { toolCallId, spanId }: ToolCall, toolName: string): ToolPlace {
  return { ...inRun(lineage), toolCallId, toolName, spanId, parentSpanId: lineage.spanId };
}

/**
 * What every event says of its place.
 * @requirement lineage.depth-is-on-every-event
 */
function inRun({ runId, rootRunId, traceId, depth }: Lineage): InRun {
  return { runId, rootRunId, traceId, depth };
}
