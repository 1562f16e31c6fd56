import { randomUUID } from 'node:crypto';

/** Where a run belongs. Each activation is a run of its own: an agent's, a composite's, a function's. Frozen. */
export interface Lineage {
  readonly runId: string;
  /** The run that the caller started; its own id in that run. */
  readonly rootRunId: string;
  readonly parentRunId?: string;
  /** The tool call that delegated to it; a part of a composite has none. */
  readonly parentToolCallId?: string;
  /** 32 hexadecimal digits, the same in all of a root's runs. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** The span of the tool call that delegated to it, of the composite that it is part of, or what the caller gave. */
  readonly parentSpanId?: string;
  /** Delegations between the root and this run. Parts of a composite are at the depth of their composite. */
  readonly depth: number;
}

/** A tool call as its tool is told of it. */
export interface ToolCall {
  readonly toolCallId: string;
  readonly spanId: string;
}

/** A place in a trace that a caller already has. */
export interface TraceStart {
  readonly traceId?: string | undefined;
  readonly parentSpanId?: string | undefined;
}

/** Begins a tree of runs, in a trace of its own unless the caller has one. */
export function rootLineage({ traceId = newTraceId(), parentSpanId }: TraceStart): Lineage {
  const runId = randomUUID();
  return Object.freeze({ runId, rootRunId: runId, traceId, spanId: spanOf(runId), ...(parentSpanId !== undefined && { parentSpanId }), depth: 0 });
}

/** Places a run below the one that delegates to it, at the tool call that does. */
export function delegatedBy(parent: Lineage, call: ToolCall | undefined): Lineage {
  const at = call && { parentToolCallId: call.toolCallId };
  return below(parent, { ...at, parentSpanId: call?.spanId ?? parent.spanId, depth: parent.depth + 1 });
}

/** Places a run as part of a composite. */
export function partOf(parent: Lineage): Lineage {
  return below(parent, { parentSpanId: parent.spanId, depth: parent.depth });
}

/** Makes the id of a span. */
export function newSpanId(): string {
  return spanOf(randomUUID());
}

type Place = Pick<Lineage, 'parentSpanId' | 'parentToolCallId' | 'depth'>;

function below({ runId: parentRunId, rootRunId, traceId }: Lineage, place: Place): Lineage {
  const runId = randomUUID();
  return Object.freeze({ runId, rootRunId, parentRunId, traceId, spanId: spanOf(runId), ...place });
}

function newTraceId(): string {
  return randomUUID().replaceAll('-', '');
}

/** Takes those digits of an id that are all random. */
function spanOf(id: string): string {
  return id.slice(0, 8) + id.slice(-8);
}
