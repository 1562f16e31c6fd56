import { z } from 'zod';
import type { RuntimeEvent } from '../../spec/model/ports.ts';
import { refIn, SUBSCRIBER_FLAW } from '../../spec/model/ref.ts';
import type { Recorder } from './recorder.ts';
import { nameOf } from './scripted-model.ts';

const id = z.string().min(1);

const runtimeEvent = z.object({
  kind: z.enum(['run-start', 'run-end', 'tool-start', 'tool-end']),
  runId: id,
  rootRunId: id.optional(),
  parentRunId: id.optional(),
  parentToolCallId: id.optional(),
  toolCallId: id.optional(),
  traceId: id.optional(),
  spanId: id.optional(),
  parentSpanId: id.optional(),
  depth: z.number().optional(),
  prompt: z.string().optional(),
  status: z.enum(['completed', 'failed', 'cancelled']).optional(),
});

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
    const parsed = runtimeEvent.safeParse(event);
    if (!parsed.success) throw this.#recorder.fault(`The adapter told of an event that is none: ${z.prettifyError(parsed.error)}`);
    const { kind: type, depth, prompt, status, ...ids } = parsed.data;
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
    if (this.#throws) throw new Error(SUBSCRIBER_FLAW);
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
