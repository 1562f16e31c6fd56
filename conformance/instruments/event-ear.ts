import type { RuntimeEvent } from '../../spec/model/ports.ts';
import { refIn, SUBSCRIBER_FLAW } from '../../spec/model/ref.ts';
import type { Recorder } from './recorder.ts';
import { nameOf } from './scripted-model.ts';

const KINDS: readonly unknown[] = ['run-start', 'run-end', 'tool-start', 'tool-end'] satisfies RuntimeEvent['kind'][];

/** One for all: what it costs to make an error each time would be the largest part of a case. */
const FAILURE = new Error(SUBSCRIBER_FLAW);

/** The subscriber of every caller: it writes down what it is told, with short names for ids, so that two enactments say the same. */
export class EventEar {
  readonly #recorder: Recorder;
  readonly #throws: boolean;
  readonly #names = new Map<string, string>();

  constructor(recorder: Recorder, throws: boolean) {
    this.#recorder = recorder;
    this.#throws = throws;
  }

  /** Hears an event. @throws always, where the scenario says so. */
  hear(toldTo: number, event: RuntimeEvent): void {
    const { kind: type, depth, prompt, status, ...ids } = event;
    if (!KINDS.includes(type)) throw this.#recorder.fault(`The adapter told of an event of the kind ${JSON.stringify(type)}; it has to be one of ${KINDS.join(', ')}.`);
    if (typeof ids.runId !== 'string') throw this.#recorder.fault(`The adapter told of a ${type} without the id of its run. Pass \`runId\` on as the runtime gives it.`);
    this.#recorder.record({
      kind: 'event',
      type,
      toldTo,
      id: this.#name(ids.runId),
      root: this.#name(ids.rootRunId),
      parent: this.#name(ids.parentRunId),
      call: callOf(ids.toolCallId ?? ids.parentToolCallId),
      trace: this.#name(ids.traceId),
      span: this.#name(ids.spanId),
      parentSpan: this.#name(ids.parentSpanId),
      depth: depth ?? null,
      task: (prompt && refIn(prompt)) ?? null,
      status: status ?? null,
    });
    if (this.#throws) throw FAILURE;
  }

  /** The first id is `#1`. A tool call's id has a name already. */
  #name(given: string | undefined): string | null {
    if (given === undefined) return null;
    const known = this.#names.get(given) ?? callOf(given) ?? `#${this.#names.size + 1}`;
    this.#names.set(given, known);
    return known;
  }
}

function callOf(given: string | undefined): string | null {
  return given?.startsWith('call_') ? nameOf(given) : null;
}
