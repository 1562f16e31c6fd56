import { tool } from '@ai-sdk/provider-utils';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  agentStep,
  coordinatorStep,
  createBus,
  createRunner,
  defineAgent,
  delegateTo,
  fanOut,
  functionStep,
  type Lineage,
  type Node,
  type RunEvent,
  type RunStart,
  sequential,
  withOutput,
} from '../../reference/index.ts';
import { COST, type Said, saying } from './scripted.ts';

const runner = createRunner();
const note = tool({ inputSchema: z.object({}), execute: () => 'noted' });
const agent = (name: string, ...script: readonly Said[]) => defineAgent({ name, instructions: '', model: saying(...script), tools: { note } });
const delegating = (to: string): Said => [{ tool: to, input: { task: 'Go.' } }];

/** What a run tells its bus. */
async function eventsOf<In>(node: Node<In, unknown>, input: In, start: Partial<RunStart> = {}): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  const bus = createBus();
  bus.subscribe((event) => events.push(event));
  await node.run(input, { runner, bus, ...start });
  return events;
}

const told = (events: readonly RunEvent[]) => events.map((event) => `${event.kind} ${'node' in event ? event.node : 'toolName' in event ? event.toolName : ''}`);
const startOf = (events: readonly RunEvent[], node: string) => events.find((event) => event.kind === 'run-start' && event.node === node) as Lineage;

test('the events of a child lie inside those of the call that made it, and these inside their run', async () => {
  const lead = coordinatorStep(agent('lead', delegating('writer'), 'Done.'), delegateTo([agent('writer', [{ tool: 'note' }], 'Written.')]));
  expect(told(await eventsOf(lead, 'Go.'))).toEqual([
    'run-start lead',
    'tool-start writer',
    'run-start writer',
    'tool-start note',
    'tool-end note',
    'run-end writer',
    'tool-end writer',
    'run-end lead',
  ]);
});

test('a delegated run is linked to the run, the call and the span that it comes from', async () => {
  const lead = coordinatorStep(agent('lead', delegating('writer'), 'Done.'), delegateTo([agent('writer', 'Written.')]));
  const events = await eventsOf(lead, 'Go.');
  const [root, child] = [startOf(events, 'lead'), startOf(events, 'writer')];
  const call = events.find((event) => event.kind === 'tool-start');
  expect(root).toMatchObject({ rootRunId: root.runId, depth: 0, traceId: expect.stringMatching(/^[0-9a-f]{32}$/), spanId: expect.stringMatching(/^[0-9a-f]{16}$/) });
  expect(Object.keys(root)).not.toEqual(expect.arrayContaining(['parentRunId']));
  expect(call).toMatchObject({ runId: root.runId, rootRunId: root.runId, traceId: root.traceId, toolCallId: '0.0', parentSpanId: root.spanId, depth: 0 });
  expect(child).toMatchObject({
    rootRunId: root.runId,
    parentRunId: root.runId,
    parentToolCallId: '0.0',
    traceId: root.traceId,
    parentSpanId: call?.kind === 'tool-start' && call.spanId,
    depth: 1,
  });
  expect(new Set([root, child, call as Lineage].map(({ spanId }) => spanId)).size).toBe(3);
  expect(events.every((event) => Object.isFrozen(event))).toBe(true);
});

test('the parts of a composite hang on its span and stay at its depth', async () => {
  const team = delegateTo([sequential({ name: 'steps', parts: [functionStep('first', String), functionStep('second', String)] })]);
  const events = await eventsOf(coordinatorStep(agent('lead', delegating('steps'), 'Done.'), team), 'Go.');
  const steps = startOf(events, 'steps');
  for (const part of ['first', 'second']) {
    expect(startOf(events, part)).toMatchObject({ parentRunId: steps.runId, parentSpanId: steps.spanId, depth: 1, input: 'Go.' });
    expect(startOf(events, part).parentToolCallId).toBeUndefined();
  }
});

test('a caller says where in a trace its run happens', async () => {
  const place = { traceId: '0af7651916cd43dd8448eb211c80319c', parentSpanId: 'b7ad6b7169203331' };
  expect(startOf(await eventsOf(functionStep('f', String), 1, place), 'f')).toMatchObject(place);
});

test('a run is what its context says it is: its tools read the same ids', async () => {
  const seen: unknown[] = [];
  const look = tool({ inputSchema: z.object({}), execute: (_, { context, toolCallId }) => void seen.push(context, toolCallId) });
  const events = await eventsOf(agentStep(defineAgent({ name: 'a', instructions: '', model: saying([{ tool: 'look' }]), tools: { look } })), 'Go.');
  const { runId, rootRunId, traceId, spanId, depth } = (seen[0] as { lineage: Lineage }).lineage;
  expect(events[0]).toMatchObject({ runId, rootRunId, traceId, spanId, depth });
  expect(seen[0]).toMatchObject({ call: { toolCallId: seen[1], spanId: (events[1] as { spanId: string }).spanId } });
});

test('runs at once share a bus and mix no ids', async () => {
  const node = coordinatorStep(agent('lead', delegating('writer'), 'Done.'), delegateTo([agent('writer', 'Written.')]));
  const bus = createBus();
  const events: RunEvent[] = [];
  bus.subscribe((event) => events.push(event));
  await Promise.all([1, 2, 3].map(() => node.run('Go.', { runner, bus })));
  const runs = Map.groupBy(events, ({ rootRunId }) => rootRunId);
  expect([...runs.values()].map((run) => run.length)).toEqual([6, 6, 6]);
  expect(new Set(events.map(({ runId }) => runId)).size).toBe(6);
  expect(new Set(events.map(({ traceId }) => traceId)).size).toBe(3);
});

test('a run that fails ends once, with the very error of its result, and with what it cost', async () => {
  const error = new Error('out of ink');
  const [, end] = await eventsOf(
    functionStep('f', () => Promise.reject(error)),
    'Go.',
  );
  expect(end).toMatchObject({ kind: 'run-end', status: 'failed' });
  expect(end?.kind === 'run-end' && end.error).toBe(error);
  const ended = (await eventsOf(agentStep(agent('a', [{ tool: 'note' }], 'Done.')), 'Go.')).at(-1);
  expect(ended).toMatchObject({ status: 'completed', usage: { input: 2 * COST.input, output: 2 * COST.output } });
});

test('a node with a changed output ends as its result says, also when the change fails', async () => {
  const refuse = () => {
    throw new Error('unreadable');
  };
  expect((await eventsOf(withOutput(functionStep('f', String), refuse), 'Go.')).map((event) => 'status' in event && event.status)).toEqual([false, 'failed']);
});

test('every call of a turn has one start and one end, also one that names no tool or has no arguments', async () => {
  const events = await eventsOf(agentStep(agent('a', [{ tool: 'missing' }, { tool: 'note', input: '{' }, { tool: 'note' }], 'Done.')), 'Go.');
  const ends = events.filter((event) => event.kind === 'tool-end');
  expect(events.filter((event) => event.kind === 'tool-start').map(({ toolCallId }) => toolCallId)).toEqual(['0.0', '0.1', '0.2']);
  expect(ends.map(({ toolCallId, status }) => [toolCallId, status]).sort()).toEqual([
    ['0.0', 'failed'],
    ['0.1', 'failed'],
    ['0.2', 'completed'],
  ]);
});

test('a delegation that a limit refuses starts no run', async () => {
  const lead = coordinatorStep(agent('lead', delegating('writer'), 'Done.'), delegateTo([agent('writer', 'Written.')]));
  expect(told(await eventsOf(lead, 'Go.', { limits: { steps: 1 } }))).toEqual(['run-start lead', 'tool-start writer', 'tool-end writer', 'run-end lead']);
});

test('a node made by hand that throws at once ends, too', async () => {
  const rude: Node = {
    name: 'rude',
    run: () => {
      throw new Error('no');
    },
  };
  expect(told(await eventsOf(sequential({ name: 's', parts: [rude] }), 'Go.'))).toEqual(['run-start s', 'run-start rude', 'run-end rude', 'run-end s']);
});

test('a subscriber that throws or rejects harms neither the run nor the others', async () => {
  const bus = createBus();
  const heard: string[] = [];
  bus.subscribe(() => {
    throw new Error('deaf');
  });
  bus.subscribe(() => Promise.reject(new Error('deaf later')));
  bus.subscribe(({ kind }) => heard.push(kind));
  expect(await functionStep('f', String).run(1, { runner, bus })).toEqual({ succeeded: true, output: '1' });
  expect(heard).toEqual(['run-start', 'run-end']);
});

test('who unsubscribes hears no more, also in the middle of an event', () => {
  const bus = createBus();
  const heard: string[] = [];
  const stop = bus.subscribe(() => stop());
  const end = bus.subscribe(({ kind }) => (heard.push(kind), end()));
  const event = { kind: 'text', runId: 'r', rootRunId: 'r', traceId: 't', depth: 0, delta: '' } as const;
  bus.emit(event);
  bus.emit(event);
  expect(heard).toEqual(['text']);
});

test('the branches of a fan-out are runs of their own', async () => {
  const events = await eventsOf(fanOut<string, string, string>({ name: 'all', part: functionStep('f', String), items: () => ['a', 'b'] }), 'Go.');
  const runs = events.filter((event) => event.kind === 'run-start' && event.node === 'f');
  expect(new Set(runs.map(({ runId }) => runId)).size).toBe(2);
});
