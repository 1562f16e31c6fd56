import { randomUUID } from 'node:crypto';

/** Where a run belongs. Each activation is a run of its own: an agent's, a composite's, a function's. */
export interface Lineage {
  readonly runId: string;
  /** The run that the caller started; its own id in that run. */
  readonly rootRunId: string;
  readonly parentRunId?: string | undefined;
  /** The tool call that delegated to it; a part of a composite has none. */
  readonly parentToolCallId?: string | undefined;
  /** 32 hexadecimal digits, the same in all of a root's runs. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** The span of the tool call that delegated to it, of the composite that it is part of, or what the caller gave. */
  readonly parentSpanId?: string | undefined;
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

/**
 * Begins a tree of runs, in a trace of its own unless the caller has one.
 * @requirement lineage.root-is-the-callers-run
 * @requirement lineage.concurrent-runs-are-told-apart
 */
export function rootLineage(start: TraceStart): Lineage {
  return new Place(0, undefined, undefined, start);
}

/**
 * Places a run below the one that delegates to it, at the tool call that does.
 * @requirement lineage.delegation-names-its-tool-call
 * @requirement lineage.parent-span-is-open
 */
export function delegatedBy(parent: Lineage, call: ToolCall | undefined): Lineage {
  return new Place(parent.depth + 1, parent, call);
}

/** Places a run as part of a composite. */
export function partOf(parent: Lineage): Lineage {
  return new Place(parent.depth, parent);
}

/** Names a tool call in a trace. */
export function toolCall(toolCallId: string): ToolCall {
  return new Call(toolCallId);
}

/**
 * Ids cost more than all else about a place, and most runs are watched by no one: they are made when they are asked for.
 * @requirement lineage.ids-are-never-reused
 * @requirement lineage.parent-is-the-nearest-run
 * @requirement lineage.trace-is-inherited
 * @requirement lineage.spans-are-their-own
 */
class Place implements Lineage {
  readonly depth: number;
  readonly #parent: Lineage | undefined;
  readonly #call: ToolCall | undefined;
  readonly #start: TraceStart | undefined;
  readonly #root: Lineage;
  #runId: string | undefined;
  #traceId: string | undefined;

  constructor(depth: number, parent?: Lineage, call?: ToolCall, start?: TraceStart) {
    this.depth = depth;
    this.#parent = parent;
    this.#call = call;
    this.#start = start;
    // Known here and not asked of the parent: a chain may be longer than a call stack.
    this.#root = parent === undefined ? this : #root in parent ? parent.#root : parent;
    Object.freeze(this);
  }

  get runId(): string {
    return (this.#runId ??= randomUUID());
  }

  get rootRunId(): string {
    return this.#root === this ? this.runId : this.#root.rootRunId;
  }

  get parentRunId(): string | undefined {
    return this.#parent?.runId;
  }

  get parentToolCallId(): string | undefined {
    return this.#call?.toolCallId;
  }

  get traceId(): string {
    return (this.#traceId ??= this.#root === this ? (this.#start?.traceId ?? randomUUID().replaceAll('-', '')) : this.#root.traceId);
  }

  get spanId(): string {
    return spanOf(this.runId);
  }

  get parentSpanId(): string | undefined {
    return this.#call?.spanId ?? this.#parent?.spanId ?? this.#start?.parentSpanId;
  }
}

class Call implements ToolCall {
  readonly #toolCallId: string;
  #spanId: string | undefined;

  constructor(toolCallId: string) {
    this.#toolCallId = toolCallId;
  }

  get toolCallId(): string {
    return this.#toolCallId;
  }

  get spanId(): string {
    return (this.#spanId ??= spanOf(randomUUID()));
  }
}

/** Takes those digits of an id that are all random. */
function spanOf(id: string): string {
  return id.slice(0, 8) + id.slice(-8);
}
