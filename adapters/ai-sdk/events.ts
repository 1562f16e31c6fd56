import { OpenTelemetry } from '@ai-sdk/otel';
import { type Context, context, createContextKey, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, type ReadableSpan, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { RunInput, RuntimeEvent } from '../../spec/model/ports.ts';

/** A span and the one that it is in. */
interface Place {
  readonly span: ReadableSpan;
  readonly above: Place | undefined;
  readonly onEvent: RunInput['onEvent'];
}

const SUBSCRIBER = createContextKey('The subscriber of a caller');
const places = new WeakMap<object, Place>();

/** Hears of every span. Those of steps and of model calls are no events here, but others lie in them. */
const ear: SpanProcessor = {
  onStart(span, within) {
    const onEvent = within.getValue(SUBSCRIBER) as RunInput['onEvent'];
    const place = { span, above: places.get(trace.getSpan(within) ?? span), onEvent };
    places.set(span, place);
    tell(place, 'start');
  },
  onEnd: (span) => tell(places.get(span) as Place, 'end'),
  forceFlush: async () => {},
  shutdown: async () => {},
};

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
/** The SDK's own telemetry, as its documentation sets it up. */
export const telemetry = { integrations: [new OpenTelemetry({ tracer: new BasicTracerProvider({ spanProcessors: [ear] }).getTracer('delegation-tck') })] };

/** The context of a call whose spans, with all in it, are told to a caller's subscriber. */
export function toldTo(onEvent: RunInput['onEvent']): Context {
  return context.active().setValue(SUBSCRIBER, onEvent);
}

/** OpenTelemetry does not allow a processor to throw, so what a subscriber throws ends here. */
function tell(place: Place, moment: 'start' | 'end'): void {
  const event = eventOf(place, moment);
  try {
    if (event) place.onEvent(event);
  } catch {}
}

/** What a span says, and which runs and tool calls it lies in. How deep that is, no span says. */
function eventOf({ span, above }: Place, moment: 'start' | 'end'): RuntimeEvent | undefined {
  const operation = operationOf(span);
  if (operation !== 'run' && operation !== 'tool') return undefined;
  const runs = around(above).filter((it) => operationOf(it) === 'run');
  const [run, parent] = operation === 'run' ? [span, ...runs] : runs;
  const outer = around(above).find(operationOf);
  return {
    kind: `${operation}-${moment}`,
    runId: idOf(run as ReadableSpan),
    rootRunId: idOf(runs.at(-1) ?? span),
    parentRunId: parent && idOf(parent),
    parentToolCallId: operation === 'run' && outer ? toolCallOf(outer) : undefined,
    toolCallId: operation === 'tool' ? toolCallOf(span) : undefined,
    traceId: span.spanContext().traceId,
    spanId: idOf(span),
    parentSpanId: outer && idOf(outer),
    prompt: promptOf(span),
    status: moment === 'start' ? undefined : span.status.code === SpanStatusCode.ERROR ? 'failed' : 'completed',
  };
}

/** A place's span and all around it, from the inside out. */
function around(place: Place | undefined): readonly ReadableSpan[] {
  return place ? [place.span, ...around(place.above)] : [];
}

function operationOf({ attributes }: ReadableSpan): 'run' | 'tool' | undefined {
  switch (attributes['gen_ai.operation.name']) {
    case 'invoke_agent':
      return 'run';
    case 'execute_tool':
      return 'tool';
    default:
      return undefined;
  }
}

const idOf = (span: ReadableSpan): string => span.spanContext().spanId;
const toolCallOf = ({ attributes }: ReadableSpan) => attributes['gen_ai.tool.call.id'] as string | undefined;
const promptOf = ({ attributes }: ReadableSpan) => attributes['gen_ai.input.messages'] as string | undefined;
