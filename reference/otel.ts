import { type Attributes, context, isSpanContextValid, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace, TraceFlags } from '@opentelemetry/api';
import type { RunListener } from './bus.ts';
import type { Ending, RunEndEvent, RunEvent, RunStartEvent, ToolStartEvent } from './run-event.ts';
import { version } from './version.ts';

/**
 * Makes a subscriber that tells OpenTelemetry of runs and tool calls, by the conventions for generative AI. A run that is
 * nobody's child hangs on the span that is active where it starts, or on the one that its caller named. What is said in
 * a conversation is never recorded, and no message of an error, which may quote it: only the code or name of the error.
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/
 */
export function traceWith(tracer: Tracer = trace.getTracer('delegation-tck', version)): RunListener {
  // By the ids that the events have: the spans' own are the tracer's.
  const open = new Map<string, Span>();
  return (event: RunEvent): void => {
    switch (event.kind) {
      case 'run-start':
        open.set(event.spanId, begin(tracer, `invoke_agent ${event.node}`, agentAttributes(event), contextOf(event, open)));
        break;
      case 'tool-start':
        open.set(event.spanId, begin(tracer, `execute_tool ${event.toolName}`, toolAttributes(event), contextOf(event, open)));
        break;
      case 'run-end':
        open.get(event.spanId)?.setAttributes(usageAttributes(event));
        end(event, open);
        break;
      case 'tool-end':
        end(event, open);
        break;
      case 'text':
        break;
    }
  };
}

type Place = Pick<RunStartEvent, 'traceId' | 'parentSpanId'>;

function begin(tracer: Tracer, name: string, attributes: Attributes, parent: ReturnType<typeof contextOf>): Span {
  return tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes }, parent);
}

function contextOf({ traceId, parentSpanId = '' }: Place, open: ReadonlyMap<string, Span>): typeof ROOT_CONTEXT {
  const parent = open.get(parentSpanId);
  if (parent) return trace.setSpan(ROOT_CONTEXT, parent);
  const remote = { traceId, spanId: parentSpanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
  return isSpanContextValid(remote) ? trace.setSpanContext(ROOT_CONTEXT, remote) : context.active();
}

function end({ spanId, status, error }: Ending & { readonly spanId: string }, open: Map<string, Span>): void {
  const span = open.get(spanId);
  open.delete(spanId);
  if (status !== 'completed') span?.setAttribute('error.type', typeOf(error)).setStatus({ code: SpanStatusCode.ERROR });
  span?.end();
}

/** A code is what few different errors have in common, and so is a name. */
function typeOf(error: Error | undefined): string {
  return error && 'code' in error && typeof error.code === 'string' ? error.code : (error?.name ?? '_OTHER');
}

function agentAttributes({ node }: RunStartEvent): Attributes {
  return { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': node };
}

function toolAttributes({ toolName, toolCallId }: ToolStartEvent): Attributes {
  return { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': toolName, 'gen_ai.tool.call.id': toolCallId, 'gen_ai.tool.type': 'function' };
}

function usageAttributes({ usage }: RunEndEvent): Attributes {
  return usage ? { 'gen_ai.usage.input_tokens': usage.input, 'gen_ai.usage.output_tokens': usage.output } : {};
}
