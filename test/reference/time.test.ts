import { tool } from '@ai-sdk/provider-utils';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  agentStep,
  coordinatorStep,
  createBus,
  createLedger,
  createRunner,
  defineAgent,
  delegateTo,
  functionStep,
  isDelegationError,
  type Node,
  parallel,
  type RunEvent,
  sequential,
  stream,
  withRetry,
  withTimeout,
} from '../../reference/index.ts';
import { COST, model, resultsIn, type Said, saying, stalling, stillClock } from './scripted.ts';

const runner = createRunner();
const agent = (name: string, ...script: readonly Said[]) => defineAgent({ name, instructions: '', model: saying(...script) });
const stalled = () => {
  const silent = stalling();
  return { silent, node: agentStep(defineAgent({ name: 'slow', instructions: '', model: silent })) };
};

/** Fails so often, then succeeds. */
function failing(times: number): Node<string, string> & { readonly runs: () => number } {
  let runs = 0;
  const node = functionStep<string, string>('shaky', () => {
    if (++runs <= times) throw new Error(`failure ${runs}`);
    return 'Done.';
  });
  return { ...node, runs: () => runs };
}

test('when time is up the work is stopped, the node has failed, and the run goes on', async () => {
  const clock = stillClock();
  const { silent, node } = stalled();
  const lead = agent('lead', [{ tool: 'slow', input: { task: 'Go.' } }], 'Without it.');
  const events: RunEvent[] = [];
  const bus = createBus();
  bus.subscribe((event) => events.push(event));
  const running = coordinatorStep(lead, delegateTo([{ node, timeout: 50 }])).run('Go.', { runner, clock, bus });
  await silent.waiting;
  expect(clock.waits).toEqual([50]);
  clock.pass();
  expect((await running).output).toBe('Without it.');
  expect(resultsIn((lead.model as ReturnType<typeof saying>).asked[1]?.prompt)[0]).toMatch(/Node "slow" was stopped: it took longer than 50 ms/);
  const ends = events.filter((event) => event.kind === 'run-end' || event.kind === 'tool-end');
  expect(ends.map(({ kind, status, error }) => [kind, status, isDelegationError(error, 'timeout')])).toEqual([
    ['run-end', 'failed', true],
    ['tool-end', 'failed', true],
    ['run-end', 'completed', false],
  ]);
});

test('a node that is out of time settles only when what was under way has ended, and is not believed then', async () => {
  const clock = stillClock();
  const [begun, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  const deaf = functionStep('deaf', () => (begun.resolve(), finish.promise));
  let settled = false;
  const running = withTimeout(deaf, 5)
    .run('Go.', { runner, clock })
    .finally(() => (settled = true));
  await begun.promise;
  clock.pass();
  await new Promise(setImmediate);
  expect(settled).toBe(false);
  finish.resolve('Late.');
  expect(await running).toMatchObject({ succeeded: false, output: undefined, error: { code: 'timeout', node: 'deaf', ms: 5 } });
});

test('a node that is in time leaves no timer and no listener behind', async () => {
  const clock = stillClock();
  const { signal } = new AbortController();
  const listeners = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  signal.addEventListener = (type: string, listener: never) => (listeners.add(listener), add(type, listener));
  signal.removeEventListener = (_: string, listener: unknown) => void listeners.delete(listener);
  const result = { succeeded: true, output: 'Done.' } as const;
  const timed = withTimeout({ ...failing(0), run: async () => result }, 5);
  expect(await timed.run('Go.', { runner, clock, signal, limits: { steps: 1 } })).toBe(result);
  expect(timed.name).toBe('shaky');
  expect([clock.waits, listeners.size]).toEqual([[], 0]);
});

test("the caller's abort within a timeout is a cancellation, with the caller's reason", async () => {
  const controller = new AbortController();
  const { silent, node } = stalled();
  const running = withTimeout(node, 50).run('Go.', { runner, clock: stillClock(), signal: controller.signal });
  await silent.waiting;
  controller.abort('enough');
  expect((await running).error).toMatchObject({ code: 'cancelled', cause: 'enough' });
});

test("a caller may abort for a reason that is called a timeout: it is the caller's all the same", async () => {
  const controller = new AbortController();
  const reason = Object.assign(new Error('too slow'), { code: 'timeout' });
  const { silent, node } = stalled();
  const running = node.run('Go.', { runner, signal: controller.signal });
  await silent.waiting;
  controller.abort(reason);
  expect((await running).error).toMatchObject({ code: 'cancelled', cause: reason });
});

test('all below a node that is out of time stops; what is beside it does not', async () => {
  const clock = stillClock();
  const { silent, node } = stalled();
  const after: string[] = [];
  const late = functionStep<string, string>('late', (input) => (after.push('late'), input));
  const beside = functionStep<string, string>('beside', async (input) => (await silent.waiting, clock.pass(), after.push('beside'), input));
  const running = parallel({ name: 'all', parts: [withTimeout(sequential({ name: 'steps', parts: [node, late], continueOnError: true }), 5), beside] }).run('Go.', {
    runner,
    clock,
  });
  expect(await running).toMatchObject({ succeeded: false, failed: [0], error: { code: 'timeout', node: 'steps' } });
  expect(after).toEqual(['beside']);
});

test('an abort reaches the end of a chain of timeouts that is longer than a call stack', async () => {
  const controller = new AbortController();
  let left = 10_000;
  const link = (): Node<string, string> =>
    functionStep('link', async (input, context) => {
      await null;
      if (left-- > 0) return (await sequential({ name: 'next', parts: [withTimeout(link(), 5)] }).run(input, context)).output ?? 'Stopped.';
      controller.abort('enough');
      return String(context.signal?.reason);
    });
  const result = await withTimeout(link(), 5).run('Go.', { runner, clock: stillClock(), signal: controller.signal, limits: { steps: 30_000 } });
  expect(result.error).toMatchObject({ code: 'cancelled', cause: 'enough' });
});

test('a node is tried again until it succeeds or its attempts are used up, and the last failure is its own', async () => {
  const twice = failing(2);
  expect((await withRetry(twice, { attempts: 3 }).run('Go.', { runner, limits: { steps: 1 } })).output).toBe('Done.');
  const often = failing(9);
  expect((await withRetry(often, { attempts: 3 }).run('Go.', { runner })).error?.message).toBe('failure 3');
  expect([twice.runs(), often.runs()]).toEqual([3, 3]);
});

test('whether to try again is asked after each attempt but the last', async () => {
  const asked: unknown[] = [];
  const shouldRetry = ({ error, attempt }: { error: Error; attempt: number }) => asked.push([error.message, attempt]) < 2;
  expect((await withRetry(failing(9), { attempts: 9, shouldRetry }).run('Go.', { runner })).error?.message).toBe('failure 2');
  await withRetry(failing(9), { attempts: 1, shouldRetry }).run('Go.', { runner });
  expect(asked).toEqual([
    ['failure 1', 1],
    ['failure 2', 2],
  ]);
});

test('an aborted node is not tried again; one that was out of time is, with time of its own', async () => {
  const controller = new AbortController();
  let runs = 0;
  const aborting = functionStep('aborting', () => (runs++, controller.abort(), Promise.reject(new Error('stopped'))));
  await withRetry(aborting, { attempts: 3 }).run('Go.', { runner, signal: controller.signal });
  expect(runs).toBe(1);
  const clock = stillClock();
  const { silent, node } = stalled();
  const impatient = { ...node, run: (input: string, context: never) => (runs++ === 1 ? node.run(input, context) : failing(0).run(input, context)) };
  const { slow } = delegateTo([{ node: impatient, timeout: 5, retry: { attempts: 2 } }], { runner });
  const lead = defineAgent({ name: 'lead', instructions: '', model: saying([{ tool: 'slow', input: { task: 'Go.' } }]), tools: { slow } as never });
  const running = agentStep(lead).run('Go.', { runner, clock });
  await silent.waiting;
  clock.pass();
  await running;
  expect(resultsIn((lead.model as ReturnType<typeof saying>).asked[1]?.prompt)).toEqual(['Done.']);
});

test('definitions that no clock can keep are refused', () => {
  expect(() => withTimeout(failing(0), 0)).toThrow(/timeout of node "shaky" is 0 ms/);
  expect(() => withTimeout(failing(0), Infinity)).toThrow(/is Infinity ms/);
  expect(() => withRetry(failing(0), { attempts: 0 })).toThrow(/retry of node "shaky" has attempts 0/);
  expect(() => createRunner({ retry: { attempts: 0 } })).toThrow(/retry.attempts 0/);
  expect(() => createRunner({ retry: { firstDelay: -1 } })).toThrow(/retry.firstDelay -1/);
});

/** An agent whose model is overloaded so often, and the error that it gives. */
function overloaded(times: number, about: object = {}) {
  const error = Object.assign(new Error('overloaded'), { isRetryable: true, ...about });
  let asked = 0;
  const node = agentStep(defineAgent({ name: 'a', instructions: '', model: model(() => (++asked <= times ? Promise.reject(error) : 'Done.')) }));
  return { node, error, asked: () => asked };
}

/** Lets time pass as often as something waits for it, and keeps how long that was. */
async function waited(running: Promise<unknown>, clock: ReturnType<typeof stillClock>): Promise<readonly number[]> {
  const waits: number[] = [];
  let over = false;
  void running.finally(() => (over = true));
  while (!over) {
    waits.push(...clock.waits);
    clock.pass();
    await new Promise(setImmediate);
  }
  return waits;
}

test('a model that is overloaded is asked again after a while, and what it cost is booked once', async () => {
  const clock = stillClock();
  const ledger = createLedger('Go.');
  const { node, asked } = overloaded(2);
  const running = node.run('Go.', { runner, clock, ledger });
  expect(await waited(running, clock)).toEqual([1000, 2000]);
  expect((await running).output).toBe('Done.');
  expect([asked(), ledger.report().own]).toEqual([3, COST]);
});

test('a model that stays overloaded fails the run with its last error; one that is broken is not asked again', async () => {
  const clock = stillClock();
  const { node, error, asked } = overloaded(9);
  const running = node.run('Go.', { runner, clock });
  await waited(running, clock);
  expect([(await running).error, asked()]).toEqual([error, 3]);
  const broken = overloaded(9, { isRetryable: false });
  await broken.node.run('Go.', { runner, clock });
  expect(broken.asked()).toBe(1);
});

test.each([
  [{ 'retry-after-ms': '30', 'retry-after': '9' }, 30],
  [{ 'retry-after': '9' }, 9000],
  [{ 'retry-after': 'soon' }, 1000],
])('a provider says itself when to ask again: %j', async (responseHeaders, wait) => {
  const clock = stillClock();
  expect(await waited(overloaded(1, { responseHeaders }).node.run('Go.', { runner, clock }), clock)).toEqual([wait]);
});

test('a model that is overloaded is asked again for a stream, too', async () => {
  const clock = stillClock();
  const { result } = stream(overloaded(1).node, 'Go.', { runner, clock });
  expect(await waited(result, clock)).toEqual([1000]);
  expect((await result).output).toBe('Done.');
});

test('an abort ends the waiting for an overloaded model, and it is not asked again', async () => {
  const controller = new AbortController();
  const clock = stillClock();
  const { node, asked } = overloaded(9);
  const running = node.run('Go.', {
    runner,
    clock: { setTimeout: (...timer) => (queueMicrotask(() => controller.abort('enough')), clock.setTimeout(...timer)) },
    signal: controller.signal,
  });
  expect((await running).error).toMatchObject({ code: 'cancelled', cause: 'enough' });
  expect([asked(), clock.waits]).toEqual([1, []]);
});

test('a tool that is under way is told of the abort and waited for, and nothing dangles', async () => {
  const controller = new AbortController();
  const kinds: string[] = [];
  const bus = createBus();
  bus.subscribe((event) => kinds.push(`${event.kind} ${'status' in event ? event.status : ''}`));
  const wait = tool({
    inputSchema: z.object({}),
    execute: (_, { abortSignal }) => new Promise((_, reject) => abortSignal?.addEventListener('abort', () => reject(abortSignal.reason))),
  });
  const stop = tool({ inputSchema: z.object({}), execute: () => controller.abort('enough') });
  const node = agentStep(defineAgent({ name: 'a', instructions: '', model: saying([{ tool: 'wait' }, { tool: 'stop' }, { tool: 'wait' }]), tools: { wait, stop } }));
  expect((await node.run('Go.', { runner, bus, signal: controller.signal })).error).toMatchObject({ code: 'cancelled', cause: 'enough' });
  expect(kinds.slice(0, 4)).toEqual(['run-start ', 'tool-start ', 'tool-start ', 'tool-start ']);
  expect(kinds.slice(4).sort()).toEqual(['run-end cancelled', 'tool-end cancelled', 'tool-end cancelled', 'tool-end completed']);
});

test('an answer that comes in spite of an abort is not taken for one', async () => {
  const controller = new AbortController();
  const node = agentStep(defineAgent({ name: 'a', instructions: '', model: model(() => (controller.abort(), 'Too late.')) }));
  const ledger = createLedger('Go.');
  expect(await node.run('Go.', { runner, signal: controller.signal, ledger })).toMatchObject({ succeeded: false, output: undefined, error: { code: 'cancelled' } });
  expect(ledger.report()).toMatchObject({ own: COST, ending: 'failed' });
});
