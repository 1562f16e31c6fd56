import { tool } from '@ai-sdk/provider-utils';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agentStep, createLedger, createRunner, defineAgent, isDelegationError } from '../../reference/index.ts';
import { COST, model, resultsIn, type Said, saying } from './scripted.ts';

const runner = createRunner();
const double = tool({ description: 'Doubles.', inputSchema: z.object({ n: z.number() }), execute: ({ n }) => String(2 * n) });

function calling(...script: readonly Said[]) {
  const scripted = saying(...script);
  return { scripted, node: agentStep(defineAgent({ name: 'clerk', instructions: 'Be exact.', model: scripted, tools: { double } })) };
}

test('a bare runner is enough to run an agent', async () => {
  const { node, scripted } = calling([{ tool: 'double', input: { n: 21 } }], 'It is 42.');
  expect(await node.run('Double 21.', { runner })).toEqual({ succeeded: true, output: 'It is 42.' });
  expect(resultsIn(scripted.asked[1]?.prompt)).toEqual(['42']);
});

test('arguments that are not JSON are a result that says so, and the run goes on', async () => {
  const { node, scripted } = calling([{ tool: 'double', input: '{"n": ' }], 'Sorry.');
  expect((await node.run('Go.', { runner })).output).toBe('Sorry.');
  expect(resultsIn(scripted.asked[1]?.prompt)[0]).toMatch(/arguments of tool "double" are not JSON/);
});

test('arguments that do not fit the schema are a result that names the tool', async () => {
  const { node, scripted } = calling([{ tool: 'double', input: { n: 'many' } }]);
  await node.run('Go.', { runner });
  expect(resultsIn(scripted.asked[1]?.prompt)[0]).toMatch(/arguments of tool "double" do not fit/);
});

test('an unknown tool is a result that names it and lists the others, even if every object has such a property', async () => {
  const { node, scripted } = calling([{ tool: 'constructor' }]);
  await node.run('Go.', { runner });
  expect(resultsIn(scripted.asked[1]?.prompt)[0]).toBe('Agent "clerk" has no tool "constructor"; available: double. Call one of these.');
});

test('arguments are parsed once, so a schema that changes them is applied once', async () => {
  const add = tool({ inputSchema: z.object({ n: z.number().transform((n) => n + 1) }), execute: ({ n }) => String(n) });
  const scripted = saying([{ tool: 'add', input: { n: 1 } }]);
  await agentStep(defineAgent({ name: 'a', instructions: '', model: scripted, tools: { add } })).run('Go.', { runner });
  expect(resultsIn(scripted.asked[1]?.prompt)).toEqual(['2']);
});

test('results come in the order of the calls, whichever ends first, and one that throws harms no other', async () => {
  const late = Promise.withResolvers<string>();
  const tools = {
    slow: tool({ inputSchema: z.object({}), execute: () => late.promise }),
    broken: tool({ inputSchema: z.object({}), execute: (): Promise<string> => Promise.reject('out of ink') }),
    quick: tool({ inputSchema: z.object({}), execute: () => late.resolve('slow after all') ?? 'quick' }),
  };
  const scripted = saying([{ tool: 'slow' }, { tool: 'broken' }, { tool: 'quick' }]);
  await agentStep(defineAgent({ name: 'a', instructions: '', model: scripted, tools })).run('Go.', { runner });
  expect(resultsIn(scripted.asked[1]?.prompt)).toEqual(['slow after all', 'out of ink', 'quick']);
});

test('a tool that streams is answered for by the last thing it says', async () => {
  async function* count() {
    yield 'one';
    yield 'two';
  }
  const scripted = saying([{ tool: 'count' }]);
  const tools = { count: tool({ inputSchema: z.object({}), execute: count }) };
  await agentStep(defineAgent({ name: 'a', instructions: '', model: scripted, tools })).run('Go.', { runner });
  expect(resultsIn(scripted.asked[1]?.prompt)).toEqual(['two']);
});

test('a tool is shown the conversation without the instructions', async () => {
  const roles: string[] = [];
  const look = tool({ inputSchema: z.object({}), execute: (_, { messages }) => void roles.push(...messages.map(({ role }) => role)) });
  const scripted = saying([{ tool: 'look' }], [{ tool: 'look' }]);
  await agentStep(defineAgent({ name: 'a', instructions: 'Look.', model: scripted, tools: { look } })).run('Go.', { runner });
  expect(roles).toEqual(['user', 'user', 'assistant', 'tool']);
});

test('a list of messages that a model was shown does not change afterwards', async () => {
  const { node, scripted } = calling([{ tool: 'double', input: { n: 1 } }], 'Two.');
  await node.run('Go.', { runner });
  expect(scripted.asked.map(({ prompt }) => prompt.length)).toEqual([2, 4]);
});

test('coming to no answer within maxIterations is a failure, and what it cost is booked', async () => {
  const restless = defineAgent({ name: 'restless', instructions: '', model: model(() => [{ tool: 'double', input: { n: 1 } }]), tools: { double }, maxIterations: 3 });
  const ledger = createLedger('Go.');
  const result = await agentStep(restless).run('Go.', { runner, ledger });
  expect(result.succeeded).toBe(false);
  expect(isDelegationError(result.error, 'iteration-limit')).toBe(true);
  expect(result.error?.message).toContain('"restless" gave no answer in 3 turns');
  expect(ledger.report().own).toEqual({ input: 3 * COST.input, output: 3 * COST.output });
});

test('a model that fails makes the run fail with just what it threw', async () => {
  const cause = new Error('overloaded');
  const result = await agentStep(defineAgent({ name: 'a', instructions: '', model: model(() => Promise.reject(cause)) })).run('Go.', { runner });
  expect(result).toEqual({ succeeded: false, output: undefined, error: cause });
});

test('an aborted run is cancelled after what was under way has ended, and starts nothing more', async () => {
  const controller = new AbortController();
  const stop = tool({ inputSchema: z.object({}), execute: (_, { abortSignal }) => (controller.abort('enough'), String(abortSignal?.aborted)) });
  const scripted = saying([{ tool: 'stop' }, { tool: 'stop' }], 'Never said.');
  const node = agentStep(defineAgent({ name: 'a', instructions: '', model: scripted, tools: { stop } }));
  const ledger = createLedger('Go.');
  const result = await node.run('Go.', { runner, signal: controller.signal, ledger });
  expect(isDelegationError(result.error, 'cancelled')).toBe(true);
  expect(result.error?.cause).toBe('enough');
  expect(scripted.asked).toHaveLength(1);
  expect(ledger.report()).toMatchObject({ own: COST, ending: 'failed' });
});

test('an error that is only called an abort is not taken for a cancellation', async () => {
  const named = new DOMException('The provider gave up.', 'AbortError');
  const result = await agentStep(defineAgent({ name: 'a', instructions: '', model: model(() => Promise.reject(named)) })).run('Go.', {
    runner,
    signal: new AbortController().signal,
  });
  expect(result.error).toBe(named);
});
