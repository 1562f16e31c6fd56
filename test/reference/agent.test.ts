import { tool } from '@ai-sdk/provider-utils';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agentStep, coordinatorStep, createRunner, defineAgent, delegateTo, functionStep, loop, slot, toolbox } from '../../reference/index.ts';
import { resultsIn, type Said, saying } from './scripted.ts';

const runner = createRunner();
const note = tool({ inputSchema: z.object({}), execute: () => 'noted' });
const agent = (name: string, ...script: readonly Said[]) => defineAgent({ name, instructions: '', model: saying(...script), tools: { note } });

test('definitions that cannot work are refused, and the message says what to do', () => {
  const sound = { name: 'a', instructions: '', model: saying() };
  expect(() => defineAgent({ ...sound, name: '' })).toThrow(/empty name/);
  expect(() => defineAgent({ ...sound, maxIterations: 0 })).toThrow(/maxIterations 0. Make it a positive integer/);
  expect(() => defineAgent({ ...sound, limits: { depth: 1.5 } })).toThrow(/limits.depth 1.5/);
  expect(() => defineAgent({ ...sound, tools: { inert: { inputSchema: z.object({}) } as never } })).toThrow(/"inert" of agent "a" has no execute/);
  expect(() => loop({ name: 'l', part: agentStep(agent('a')), maxIterations: -1 })).toThrow(/maxIterations -1/);
  expect(() => slot({ key: '', scope: 'run', init: () => 0 })).toThrow(/empty key/);
});

test('a run with a limit that is no positive integer fails as data', async () => {
  const result = await agentStep(agent('a', 'Done.')).run('Go.', { runner, limits: { depth: 0 } });
  expect(result.error).toMatchObject({ code: 'invalid-definition' });
});

test('a coordinator has its team and its own tools, and the agent it was made of has no more than before', async () => {
  const lead = agent('lead', [{ tool: 'note' }, { tool: 'writer', input: { task: 'Write.' } }], 'Done.');
  const coordinator = coordinatorStep(lead, delegateTo([agent('writer', 'Written.')]));
  expect((await coordinator.run('Go.', { runner })).output).toBe('Done.');
  expect((await coordinator.run('Again.', { runner })).output).toBe('Done.');
  const { asked } = lead.model as ReturnType<typeof saying>;
  expect(asked[0]?.tools?.map(({ name }) => name)).toEqual(['note', 'writer']);
  expect(resultsIn(asked[1]?.prompt)).toEqual(['noted', 'Written.']);
  expect(Object.keys(lead.tools)).toEqual(['note']);
  expect(Object.isFrozen(lead) && Object.isFrozen(lead.tools)).toBe(true);
});

test('a team member named like a tool of the coordinator is refused instead of hiding it', () => {
  expect(() => coordinatorStep(agent('lead'), delegateTo([agent('note')]))).toThrow(/already has a tool "note"/);
  expect(() => delegateTo([agent('twin'), agent('twin')])).toThrow(/Two delegations are named "twin"/);
  expect(Object.isFrozen(toolbox([]))).toBe(true);
});

test('a sub-agent is told its task and nothing else', async () => {
  const writer = agent('writer', 'Written.');
  await coordinatorStep(agent('lead', [{ tool: 'writer', input: { task: 'Write.' } }]), delegateTo([writer])).run('A secret. Go.', { runner });
  expect((writer.model as ReturnType<typeof saying>).asked[0]?.prompt).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Write.' }] }]);
});

test('a sub-agent that fails is an error to its delegator, which goes on', async () => {
  const broken = functionStep('broken', () => {
    throw new Error('out of paper');
  });
  const lead = agent('lead', [{ tool: 'broken', input: { task: 'Print.' } }], 'Could not print.');
  expect((await coordinatorStep(lead, delegateTo([broken])).run('Go.', { runner })).output).toBe('Could not print.');
  expect(resultsIn((lead.model as ReturnType<typeof saying>).asked[1]?.prompt)).toEqual(['out of paper']);
});

test('a prompt that throws fails its node, and whatever is thrown becomes an error', async () => {
  const prompt = () => {
    throw 'no words';
  };
  const node = agentStep(agent('a'), { prompt });
  expect(await node.run('Go.', { runner })).toMatchObject({ succeeded: false, error: { message: 'no words', code: 'not-an-error', cause: 'no words' } });
});

test('a delegation that is called outside of any run starts one', async () => {
  const { writer } = delegateTo([agent('writer', 'Written.')], { runner });
  expect(await writer?.execute?.({ task: 'Write.' }, { toolCallId: '1', messages: [], context: undefined })).toBe('Written.');
  const { stray } = delegateTo([agent('stray')]);
  await expect(async () => stray?.execute?.({ task: 'Go.' }, { toolCallId: '1', messages: [], context: { guard: 1 } })).rejects.toThrow(/has no runner/);
});
