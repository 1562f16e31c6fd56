import type { RunInput, RuntimeEvent } from '../../../spec/model/ports.ts';

type Ids = Omit<RuntimeEvent, 'kind' | 'prompt' | 'status'>;

/** How many things were given an id, ever. */
let given = 0;

/** Tells one caller what happens in its run. It knows a place by its path, and finds whatever is above in its own table. */
export class EventLog {
  readonly #tell: RunInput['onEvent'];
  readonly #trace = `trace ${++given}`;
  readonly #runs = new Map<string, Ids>();
  readonly #calls = new Map<string, Ids>();

  constructor(tell: RunInput['onEvent']) {
    this.#tell = tell;
  }

  began(path: string, prompt: string, depth: number, callId: string | undefined): void {
    const runId = `run ${++given}`;
    const parent = this.#nearest(this.#runs, path);
    const call = this.#nearest(this.#calls, path, true);
    const ids: Ids = {
      runId,
      rootRunId: this.#runs.get('root')?.runId ?? runId,
      parentRunId: parent?.runId,
      parentToolCallId: callId,
      traceId: this.#trace,
      spanId: `span ${++given}`,
      parentSpanId: call && call.runId === parent?.runId ? call.spanId : parent?.spanId,
      depth,
    };
    this.#runs.set(path, ids);
    this.#say({ ...ids, kind: 'run-start', prompt });
  }

  called(path: string, by: string, toolCallId: string, depth: number): void {
    const run = this.#runs.get(by) as Ids;
    const ids: Ids = { runId: run.runId, rootRunId: run.rootRunId, traceId: this.#trace, toolCallId, spanId: `span ${++given}`, parentSpanId: run.spanId, depth };
    this.#calls.set(path, ids);
    this.#say({ ...ids, kind: 'tool-start' });
  }

  /** A place may be that of a tool call and of the run that it delegates to: the run ends first. */
  ended(path: string, status: RuntimeEvent['status']): void {
    const [run, call] = [this.#runs.get(path), this.#calls.get(path)];
    if (run) this.#say({ ...run, kind: 'run-end', status });
    if (call) this.#say({ ...call, kind: 'tool-end', status });
  }

  #nearest(table: ReadonlyMap<string, Ids>, path: string, itself = false): Ids | undefined {
    for (let place = itself ? path : above(path); place !== ''; place = above(place)) if (table.has(place)) return table.get(place);
    return undefined;
  }

  /** Whoever listens may fail: that is no concern of the run. */
  #say(event: RuntimeEvent): void {
    try {
      this.#tell(event);
    } catch {
      // There is nobody to tell.
    }
  }
}

function above(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
