import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { expect, test } from 'vitest';
import { agentStep, coordinatorStep, createBus, createRunner, defineAgent, delegateTo, functionStep, type Node, type RunStart } from '../../reference/index.ts';
import { traceWith } from '../../reference/otel.ts';
import { COST, type Said, saying } from './scripted.ts';

const runner = createRunner();
const agent = (name: string, ...script: readonly Said[]) => defineAgent({ name, instructions: 'A secret.', model: saying(...script) });

/** The spans of a run, in the order in which they ended. */
async function spansOf(node: Node<string, unknown>, start: Partial<RunStart> = {}): Promise<readonly ReadableSpan[]> {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const bus = createBus();
  bus.subscribe(traceWith(provider.getTracer('test')));
  await node.run('Tell me a secret.', { runner, bus, ...start });
  return exporter.getFinishedSpans();
}

const team = () => coordinatorStep(agent('lead', [{ tool: 'writer', input: { task: 'A secret.' } }], 'A secret.'), delegateTo([agent('writer', 'A secret.')]));

test('a delegation is an agent in a tool in an agent, with what each of them cost', async () => {
  const [writer, call, lead] = (await spansOf(team())) as [ReadableSpan, ReadableSpan, ReadableSpan];
  expect([lead, call, writer].map(({ name, kind }) => [name, kind])).toEqual([
    ['invoke_agent lead', SpanKind.INTERNAL],
    ['execute_tool writer', SpanKind.INTERNAL],
    ['invoke_agent writer', SpanKind.INTERNAL],
  ]);
  expect(lead.attributes).toEqual({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'lead',
    'gen_ai.usage.input_tokens': 2 * COST.input,
    'gen_ai.usage.output_tokens': 2 * COST.output,
  });
  expect(call.attributes).toEqual({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'writer', 'gen_ai.tool.call.id': '0.0', 'gen_ai.tool.type': 'function' });
  expect(lead.parentSpanContext).toBeUndefined();
  expect(call.parentSpanContext?.spanId).toBe(lead.spanContext().spanId);
  expect(writer.parentSpanContext?.spanId).toBe(call.spanContext().spanId);
  expect(new Set([lead, call, writer].map((span) => span.spanContext().traceId)).size).toBe(1);
});

test('what fails says of what kind its error is, and nothing that was said is recorded', async () => {
  const broken = functionStep('broken', () => Promise.reject(new RangeError('A secret.')));
  const lead = coordinatorStep(agent('lead', [{ tool: 'broken', input: { task: 'A secret.' } }, { tool: 'missing' }], 'A secret.'), delegateTo([broken]));
  const spans = await spansOf(lead);
  expect(Object.fromEntries(spans.map(({ name, attributes, status }) => [name, [attributes['error.type'], status.code]]))).toEqual({
    'invoke_agent broken': ['RangeError', SpanStatusCode.ERROR],
    'execute_tool broken': ['RangeError', SpanStatusCode.ERROR],
    'execute_tool missing': ['unknown-tool', SpanStatusCode.ERROR],
    'invoke_agent lead': [undefined, SpanStatusCode.UNSET],
  });
  expect(JSON.stringify(spans.map(({ name, attributes, status, events }) => [name, attributes, status, events]))).not.toContain('secret');
});

test('a run hangs on the span that its caller names', async () => {
  const place = { traceId: '0af7651916cd43dd8448eb211c80319c', parentSpanId: 'b7ad6b7169203331' };
  const [span] = await spansOf(agentStep(agent('a', 'Done.'), {}), place);
  expect(span?.spanContext().traceId).toBe(place.traceId);
  expect(span?.parentSpanContext).toMatchObject({ spanId: place.parentSpanId, isRemote: true });
});

test('without a tracer it is the global one, which does nothing until somebody sets it', async () => {
  const bus = createBus();
  bus.subscribe(traceWith());
  expect(await agentStep(agent('a', 'Done.')).run('Go.', { runner, bus })).toEqual({ succeeded: true, output: 'Done.' });
  expect(trace.getSpan(context.active() ?? ROOT_CONTEXT)).toBeUndefined();
});
