import { expect, test } from 'vitest';
import { agentStep, createGuard, createLedger, createRunner, defineAgent, nodeTool, type Node, RecursionLimitError } from '../../reference/index.ts';
import { z } from 'zod';
import { model, resultsIn } from './scripted.ts';

const runner = createRunner();

/** An agent that delegates to itself once, then answers with the result it got. */
function selfCaller(limits?: Parameters<typeof createGuard>[0]): Node {
  const self: Node = agentStep(
    defineAgent({
      name: 'writer',
      instructions: '',
      limits,
      model: model((prompt) => resultsIn(prompt)[0] ?? [{ tool: 'again', input: {} }]),
      tools: { again: nodeTool({ description: 'Again.', input: z.object({}), node: () => self, prompt: () => 'Again.' }) },
    }),
  );
  return self;
}

test('a run that states no limit ends by the default one', async () => {
  const { output } = await selfCaller().run('Go.', { runner });
  expect(output).toContain('depth limit 16 reached at depth 17');
});

test('a default stays in force for every kind of limit that a run does not state itself', async () => {
  expect((await selfCaller().run('Go.', { runner, limits: { visits: 100 } })).output).toContain('depth limit 16 reached at depth 17');
  expect((await selfCaller().run('Go.', { runner, limits: { depth: 5000 } })).output).toContain('steps limit 1000 reached');
  expect((await selfCaller().run('Go.', { runner, limits: { depth: 20, visits: undefined } })).output).toContain('depth limit 20 reached');
});

test('the error tells the limit, its value, the depth and the chain', async () => {
  const { output } = await selfCaller().run('Go.', { runner, limits: { depth: 2 } });
  expect(output).toBe(
    'Delegation refused: depth limit 2 reached at depth 3 (writer → writer → writer → writer). Answer with what is known, or raise limits.depth where the run starts.',
  );
});

test('a limit of ten thousand ends with its error, at the agent that hit it', async () => {
  const ledger = createLedger('Go.');
  const { output } = await selfCaller().run('Go.', { runner, ledger, limits: { depth: 10_000, steps: 20_000 } });
  expect(output).toContain('depth limit 10000 reached at depth 10001');
  expect(output?.length).toBeLessThan(600);
  expect(ledger.report().total).toEqual({ input: 3 * 2 * 10_001, output: 2 * 2 * 10_001 });
});

test('a limit that an agent carries narrows the one it inherits and never widens it', async () => {
  expect((await selfCaller({ depth: 1 }).run('Go.', { runner, limits: { depth: 5 } })).output).toContain('depth limit 1 ');
  expect((await selfCaller({ depth: 9 }).run('Go.', { runner, limits: { depth: 5 } })).output).toContain('depth limit 5 ');
});

test('visits and steps are counted over the run, and what is refused does not count', async () => {
  const guard = createGuard({ visits: 2, steps: 4 });
  const enter = (node: string) => guard.within({ node, by: 'delegation' }, async () => node);
  expect([await enter('a'), await enter('a')]).toEqual(['a', 'a']);
  await expect(enter('a')).rejects.toMatchObject({ code: 'recursion-limit', limit: 'visits', value: 2, depth: 0, chain: ['a'] });
  expect([await enter('b'), await enter('b')]).toEqual(['b', 'b']);
  await expect(enter('c')).rejects.toMatchObject({ limit: 'steps', value: 4 });
});

test('parts of a composite add no depth', async () => {
  const guard = createGuard({ depth: 1 });
  const depth = guard.within({ node: 'root', by: 'root' }, (a) =>
    a.within({ node: 'part', by: 'composite' }, (b) => b.within({ node: 'agent', by: 'delegation' }, (c) => c.within({ node: 'deep', by: 'delegation' }, async () => 0))),
  );
  await expect(depth).rejects.toMatchObject({ depth: 2, chain: ['root', 'part', 'agent', 'deep'] });
});

test('a limit hit leaves nothing behind for what comes next', async () => {
  const guard = createGuard({ depth: 1 });
  await guard.within({ node: 'root', by: 'root' }, async (root) => {
    const down = (below: typeof root) => below.within({ node: 'x', by: 'delegation' }, async (inner) => inner);
    for (let round = 0; round < 3; round++) await expect(down(await down(root))).rejects.toBeInstanceOf(RecursionLimitError);
  });
});

test('a chain is told in full up to forty names; the error has all of a longer one', () => {
  const named = (count: number) => new RecursionLimitError({ limit: 'depth', value: 1, depth: 2, chain: Array.from({ length: count }, (_, i) => `n${i}`) });
  expect(named(40).message).toContain('n18 → n19 → n20 → n21');
  expect(named(41).message).toContain('n19 → … 1 more … → n21');
  expect(named(41).chain).toHaveLength(41);
});

test('usage that is no finite, non-negative number is refused and loses no answer', async () => {
  const ledger = createLedger('p');
  for (const bad of [Number.NaN, Infinity, -1, '7', undefined, null]) {
    ledger.record({ input: bad, output: 1 });
    ledger.record({ input: 1, output: bad });
  }
  ledger.record({ input: 0, output: 5 });
  expect(ledger.report()).toMatchObject({ own: { input: 0, output: 5 }, total: { input: 0, output: 5 }, refused: 12, ending: 'open' });
});

test('an account that is closed still books what was spent before it', () => {
  const ledger = createLedger('p');
  const child = ledger.child('c');
  child.close('failed');
  child.record({ input: 1, output: 2 });
  expect(ledger.report()).toMatchObject({ own: { input: 0, output: 0 }, total: { input: 1, output: 2 }, children: [{ prompt: 'c', ending: 'failed' }] });
});
