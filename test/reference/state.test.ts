import { expect, test } from 'vitest';
import { createDeps, createLedger, createRunner, createScratchpad, fanOut, functionStep, loop, parallel, sequential, slot, withOutput } from '../../reference/index.ts';

const runner = createRunner();

test('a slot is initialised by the first who asks: once for a run, once for each branch that asks', () => {
  let inits = 0;
  const counted = (scope: 'run' | 'branch') => slot({ key: 'counted', scope, init: () => ++inits });
  const pad = createScratchpad();
  const forks = [pad.fork(), pad.fork(), pad.fork()];
  expect(inits).toBe(0);
  for (const fork of forks) fork.get(counted('run'));
  expect(inits).toBe(1);
  for (const fork of forks) fork.get(counted('branch'));
  expect(inits).toBe(4);
});

test('setting a slot does not ask for its initial value', () => {
  const pad = createScratchpad();
  const init = (): number => {
    throw new Error('not yet');
  };
  const unready = slot({ key: 'n', scope: 'run', init });
  pad.set(unready, 1);
  pad.set(unready, 2);
  expect(pad.get(unready)).toBe(2);
  expect(() => pad.fork().get({ ...unready, key: 'm' })).toThrow('not yet');
});

test('run-scoped state that a fork touches first is there for the parent and for forks made before', () => {
  const pad = createScratchpad();
  const log = slot<readonly string[]>({ key: 'log', scope: 'run', init: () => [] });
  const [a, b] = [pad.fork(), pad.fork().fork()];
  a.update(log, (entries) => [...entries, 'a']);
  expect([pad.get(log), b.get(log)]).toEqual([['a'], ['a']]);
});

test('one key in both scopes is two slots', () => {
  const pad = createScratchpad();
  pad.set({ key: 'k', scope: 'run', init: () => 0 }, 1);
  expect(pad.get({ key: 'k', scope: 'branch', init: () => 0 })).toBe(0);
});

test('joining a scratchpad from elsewhere is an error, not a loss', () => {
  const pad = createScratchpad();
  expect(() => pad.join([{ ...pad } as typeof pad])).toThrow(/not a scratchpad of this runtime/);
});

test('dependencies are those of when they were bound; a key that is not bound is named', () => {
  const bindings = new Map<string, unknown>([
    ['clock', 1],
    ['nothing', undefined],
  ]);
  const deps = createDeps(bindings);
  bindings.set('late', 2).set('clock', 3);
  expect(deps.get('clock')).toBe(1);
  expect(deps.get('nothing')).toBeUndefined();
  expect(() => deps.get('late')).toThrow('Dependency "late" is not bound; bound: clock, nothing.');
  expect(() => createDeps([]).get('clock')).toThrow('none is bound');
});

const trail = slot<readonly string[]>({ key: 'trail', scope: 'branch', init: () => [], merge: (parent, child) => [...parent, ...child] });
const leave = functionStep<string, string>('leave', (mark, { scratchpad }) => (scratchpad.update(trail, (marks) => [...marks, mark]), mark));

test('branches are merged by index, whichever ends first, in the branch that they were forked from', async () => {
  const scratchpad = createScratchpad();
  scratchpad.set(trail, ['p']);
  const two = withOutput(fanOut({ name: 'two', part: leave, items: (mark: string) => [`${mark}0`, `${mark}1`] }), (marks) => marks.join());
  const slow = sequential({ name: 'slow', parts: [functionStep('wait', async (mark: string) => (await new Promise(setImmediate), mark)), two] });
  const result = await parallel({ name: 'both', parts: [slow, two], prompt: (_, index) => String(index) }).run('', { runner, scratchpad });
  expect(result.output).toEqual(['00,01', '10,11']);
  expect(scratchpad.get(trail)).toEqual(['p', '00', '01', '10', '11']);
});

test('branches that fail stop no other, are merged too, and the first of them gives the error', async () => {
  const scratchpad = createScratchpad();
  const fragile = functionStep<string, string>('fragile', async (mark, { scratchpad: pad }) => {
    pad.update(trail, (marks) => [...marks, mark]);
    if (mark === '1') await new Promise(setImmediate);
    if (mark !== '0') throw new Error(`${mark} broke`);
    return mark;
  });
  const result = await fanOut({ name: 'all', part: fragile, items: () => ['0', '1', '2'] }).run('', { runner, scratchpad });
  expect(result).toMatchObject({ succeeded: false, output: undefined, failed: [1, 2], error: { message: '1 broke' } });
  expect(result.branches?.map(({ output }) => output)).toEqual(['0', undefined, undefined]);
  expect(scratchpad.get(trail)).toEqual(['0', '1', '2']);
});

test('nothing to fan out to is a success', async () => {
  expect(await fanOut({ name: 'none', part: leave, items: () => [] }).run('', { runner })).toMatchObject({ succeeded: true, output: [], failed: [] });
});

const broken = functionStep<string, string>('broken', (mark) => {
  throw new Error(`${mark} broke`);
});

test('a sequence ends at the first part that fails', async () => {
  const scratchpad = createScratchpad();
  const result = await sequential({ name: 's', parts: [leave, broken, leave], prompt: (value, index) => `${value}${index}` }).run('m', { runner, scratchpad });
  expect(result).toMatchObject({ succeeded: false, output: 'm0', error: { message: 'm01 broke' } });
  expect(scratchpad.get(trail)).toEqual(['m0']);
});

test('a sequence that goes on after an error has failed all the same, with the first error', async () => {
  const parts = [leave, broken, broken, leave];
  const prompt = (value: string, index: number, input: string) => `${value}${index}${input}`;
  const result = await sequential({ name: 's', parts, prompt, continueOnError: true }).run('m', { runner });
  expect(result).toMatchObject({ succeeded: false, output: 'm0m3m', error: { message: 'm0m1m broke' } });
});

test('a loop runs its part so often, or until it is told to end, and keeps its last good output', async () => {
  const grow = functionStep<string, string>('grow', (text) => {
    if (text === 'xxxx') throw new Error('full');
    return `${text}x`;
  });
  const looped = (rest: object) => loop({ name: 'l', part: grow, maxIterations: 3, ...rest }).run('', { runner });
  expect(await looped({})).toEqual({ succeeded: true, output: 'xxx' });
  expect(await looped({ until: (text: string) => text === 'xx' })).toEqual({ succeeded: true, output: 'xx' });
  expect(await looped({ maxIterations: 9 })).toMatchObject({ succeeded: false, output: 'xxxx', error: { message: 'full' } });
});

test('an output that cannot be changed fails the node', async () => {
  const node = withOutput(leave, () => {
    throw new Error('no');
  });
  expect(await node.run('m', { runner })).toMatchObject({ succeeded: false, error: { message: 'no' } });
});

test('the context that a caller gives is never changed', async () => {
  const context = Object.freeze({ runner, host: Object.freeze({}), scratchpad: Object.freeze(createScratchpad()) });
  expect((await sequential({ name: 's', parts: [leave, leave] }).run('m', context)).succeeded).toBe(true);
});

test('every part has an account of its own, named by what it was asked, or by its name where that is no text', async () => {
  const ledger = createLedger('all');
  const count = functionStep<number, number>('count', (n) => n + 1);
  await fanOut({ name: 'counts', part: count, items: () => [1, 2] }).run('', { runner, ledger });
  await sequential({ name: 's', parts: [leave, leave], prompt: (_, index) => `part ${index}` }).run('', { runner, ledger });
  expect(ledger.report().children.map(({ prompt, ending }) => `${prompt}: ${ending}`)).toEqual(['count: succeeded', 'count: succeeded', 'part 0: succeeded', 'part 1: succeeded']);
});
