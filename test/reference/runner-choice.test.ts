import { tool } from '@ai-sdk/provider-utils';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  agentStep,
  coordinatorStep,
  createRunner,
  defineAgent,
  delegateTo,
  functionStep,
  isDelegationError,
  parallel,
  type Runner,
  type RunContext,
  sequential,
  withRunner,
} from '../../reference/index.ts';
import { model, resultsIn, type Said, saying } from './scripted.ts';

/** A runner that keeps whom it ran. */
function recording(options: Parameters<typeof createRunner>[0] = {}): Runner & { readonly ran: string[] } {
  const { runStructured, ...runner } = createRunner(options);
  const ran: string[] = [];
  return {
    ...runner,
    ran,
    run: (agent, message, context) => (ran.push(agent.name), runner.run(agent, message, context)),
    runStructured: runStructured && ((agent, message, output, context) => (ran.push(`${agent.name} structured`), runStructured(agent, message, output, context))),
  };
}

const agent = (name: string, ...script: readonly Said[]) => defineAgent({ name, instructions: '', model: saying(...script) });
const schema = z.object({ n: z.number().transform((n) => n + 1) });

test('a step runs on its own runner, else on the nearest around it, else on that of the run', async () => {
  const [run, outer, inner, own] = [recording(), recording(), recording(), recording()];
  const steps = ['a', 'b', 'c', 'd'].map((name) => agentStep(agent(name, 'Done.'), name === 'c' ? { runner: own } : {})) as [never, never, never, never];
  const nested = withRunner(sequential({ name: 'outer', parts: [steps[0], withRunner(sequential({ name: 'inner', parts: [steps[1], steps[2]] }), inner)] }), outer);
  expect((await sequential({ name: 'all', parts: [nested, steps[3]] }).run('Go.', { runner: run })).succeeded).toBe(true);
  expect([run, outer, inner, own].map(({ ran }) => ran)).toEqual([['d'], ['a'], ['b'], ['c']]);
});

test("a runner around a node reaches what is delegated below; a step's own runner does not", async () => {
  const [run, around, own] = [recording(), recording(), recording()];
  const lead = (name: string, runner?: Runner) =>
    coordinatorStep(agent(name, [{ tool: 'writer', input: { task: 'Go.' } }], 'Done.'), delegateTo([agent('writer', 'Written.')]), { runner });
  await parallel({ name: 'both', parts: [withRunner(lead('wrapped'), around), lead('stepped', own)] }).run('Go.', { runner: run });
  expect([run.ran, around.ran, own.ran]).toEqual([['writer'], ['wrapped', 'writer'], ['stepped']]);
});

test("withRunner is seen by no one: the name, the result and the activation are the node's", async () => {
  const result = { succeeded: true, output: 'as it is' } as const;
  const node = { ...functionStep('f', String), run: async () => result };
  const wrapped = withRunner(node, createRunner());
  expect(wrapped.name).toBe('f');
  expect(withRunner(node, createRunner(), { name: 'label' }).name).toBe('label');
  expect(await wrapped.run('Go.', { runner: createRunner(), limits: { steps: 1 } })).toBe(result);
});

test('no context that a node was handed is changed by what runs below it', async () => {
  const seen: RunContext[] = [];
  const look = (name: string) => functionStep<string, string>(name, (input, context) => (seen.push(Object.freeze(context)), input));
  await sequential({ name: 'all', parts: [look('before'), withRunner(look('inside'), recording()), look('after')] }).run('Go.', Object.freeze({ runner: recording() }));
  expect(seen[0]?.runner).toBe(seen[2]?.runner);
  expect(seen[1]?.runner).not.toBe(seen[0]?.runner);
});

test('a step may ask another model; the agent keeps its own, and all else', async () => {
  const note = tool({ inputSchema: z.object({}), execute: () => 'noted' });
  const own = defineAgent({ name: 'a', instructions: 'Be brief.', model: model(() => 'Mine.'), tools: { note } });
  const other = saying([{ tool: 'note' }], 'Other.');
  const both = parallel({ name: 'both', parts: [agentStep(own), agentStep(own, { model: other })] });
  expect((await both.run('Go.', { runner: createRunner() })).output).toEqual(['Mine.', 'Other.']);
  expect(other.asked[0]?.prompt[0]).toEqual({ role: 'system', content: 'Be brief.' });
  expect(resultsIn(other.asked[1]?.prompt)).toEqual(['noted']);
  expect(own.model).not.toBe(other);
});

test('a runner is given the very agent when a step changes nothing about it', async () => {
  const given: unknown[] = [];
  const same = agent('a', 'Done.');
  await agentStep(same).run('Go.', { runner: { ...createRunner(), run: async (got) => (given.push(got), 'Done.') } });
  expect(given[0]).toBe(same);
});

test("a step's tools are instead of the agent's; an agent without any is offered none", async () => {
  const named = (said: string) => tool({ inputSchema: z.object({}), execute: () => said });
  const scripted = saying([{ tool: 'note' }], 'Done.');
  const armed = defineAgent({ name: 'a', instructions: '', model: scripted, tools: { note: named('own'), other: named('other') } });
  await agentStep(armed, { tools: { note: named("the step's") } }).run('Go.', { runner: createRunner() });
  expect(resultsIn(scripted.asked[1]?.prompt)).toEqual(["the step's"]);
  expect(scripted.asked[0]?.tools?.map(({ name }) => name)).toEqual(['note']);
  const bare = saying('Done.');
  await agentStep(agent('a'), { model: bare }).run('Go.', { runner: createRunner() });
  expect(bare.asked[0]).not.toHaveProperty('tools');
});

test('a structured answer is parsed and fits its schema, after the same tool loop', async () => {
  const note = tool({ inputSchema: z.object({}), execute: () => 'noted' });
  const scripted = saying([{ tool: 'note' }], '{"n": 1}');
  const result = await agentStep(defineAgent({ name: 'a', instructions: '', model: scripted, tools: { note } }), { output: schema }).run('Go.', { runner: createRunner() });
  expect(result).toEqual({ succeeded: true, output: { n: 2 } });
  expect(scripted.asked.map(({ responseFormat }) => responseFormat)).toEqual([
    { type: 'json', schema: expect.objectContaining({ type: 'object' }) },
    { type: 'json', schema: expect.objectContaining({ type: 'object' }) },
  ]);
});

test.each(['', 'n is secret', '{"n": "secret"}'])('an answer that does not fit its schema is a failure that does not quote it: %j', async (said) => {
  const result = await agentStep(agent('a', said), { output: schema }).run('Go.', { runner: createRunner() });
  expect(result).toMatchObject({ succeeded: false, output: undefined, error: { code: 'invalid-output', cause: expect.any(Error) } });
  expect(result.error?.message).not.toContain('secret');
});

test('a step asks for structured output on its own runner only; one that has none fails it, and no model is asked', async () => {
  const [run, own] = [recording(), recording({ structured: false })];
  expect(own.runStructured).toBeUndefined();
  const scripted = agent('a', '{"n": 1}');
  const { error } = await agentStep(scripted, { output: schema, runner: own }).run('Go.', { runner: run });
  expect(isDelegationError(error, 'structured-output-unsupported')).toBe(true);
  expect(await withRunner(agentStep(scripted, { output: schema, runner: run }), own).run('Go.', { runner: own })).toMatchObject({ output: { n: 2 } });
  expect([run.ran, own.ran]).toEqual([['a structured'], []]);
  expect((scripted.model as ReturnType<typeof saying>).asked).toHaveLength(1);
});

test("a runner's middleware wraps the model of every agent that runs on it, and the agent keeps the bare one", async () => {
  const wrapped: unknown[] = [];
  const runner = createRunner({ middleware: (bare) => (wrapped.push(bare), saying('Wrapped.')) });
  const plain = agent('a', 'Plain.');
  expect((await agentStep(plain).run('Go.', { runner })).output).toBe('Wrapped.');
  expect(wrapped).toEqual([plain.model]);
});
