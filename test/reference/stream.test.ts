import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
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
  type Node,
  type RunEvent,
  type RunStart,
  sequential,
  stream,
} from '../../reference/index.ts';
import { COST, model, resultsIn, type Said, saying, stalling, streamOf } from './scripted.ts';

const runner = createRunner();
const note = tool({ inputSchema: z.object({ n: z.number().optional() }), execute: ({ n }) => `noted ${n ?? ''}` });
const agent = (name: string, ...script: readonly Said[]) => defineAgent({ name, instructions: '', model: saying(...script), tools: { note } });
const USAGE = { inputTokens: { total: COST.input }, outputTokens: { total: COST.output } } as never;
const finish: LanguageModelV4StreamPart = { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage: USAGE };

/** An agent whose model streams these parts in its first turn, and then answers with the results of its calls. */
function streaming(...parts: readonly LanguageModelV4StreamPart[]) {
  const scripted = model((prompt) => resultsIn(prompt).join() || 'No results.');
  const later = scripted.doStream.bind(scripted);
  let turns = 0;
  const doStream: typeof later = async (options) => (turns++ === 0 ? { stream: streamOf(...parts) } : later(options));
  return { scripted, node: agentStep(defineAgent({ name: 'a', instructions: '', model: { ...scripted, doStream }, tools: { note } })) };
}

const run = (node: Node<string, unknown>, start: Partial<RunStart> = {}) => stream(node, 'Go.', { runner, ...start });

test.each([
  ['an answer', () => agentStep(agent('a', 'It is done.'))],
  ['calls, also such as go wrong', () => agentStep(agent('a', [{ tool: 'note', input: { n: 1 } }, { tool: 'missing' }, { tool: 'note', input: '{"n": ' }], 'Done.'))],
  ['a delegation', () => coordinatorStep(agent('lead', [{ tool: 'writer', input: { task: 'Go.' } }], 'Done.'), delegateTo([agent('writer', 'Written.')]))],
  ['a composite', () => sequential({ name: 's', parts: [agentStep(agent('a', 'One.')), functionStep('f', String)] })],
  ['a structured answer', () => agentStep(agent('a', '{"n": 1}'), { output: z.object({ n: z.number() }) })],
  ['a model that fails', () => agentStep(defineAgent({ name: 'a', instructions: '', model: model(() => Promise.reject(new Error('no'))) }))],
] satisfies [string, () => Node<string, unknown>][])('a stream comes to what a run comes to: %s', async (_, make) => {
  const [plain, streamed] = await Promise.all(
    [make(), make()].map(async (node, index) => {
      const ledger = createLedger('Go.');
      const bus = createBus();
      const kinds: string[] = [];
      bus.subscribe(({ kind }) => kind === 'text' || kinds.push(kind));
      const start = { runner, ledger, bus };
      const result = index === 0 ? await node.run('Go.', start) : await stream(node, 'Go.', start).result;
      return { result, report: ledger.report(), kinds };
    }),
  );
  expect(streamed).toEqual(plain);
});

test('what an agent says is told in pieces while it says it, between the start and the end of its run', async () => {
  const { events, textStream, result } = run(coordinatorStep(agent('lead', [{ tool: 'writer', input: { task: 'Go.' } }], 'Done.'), delegateTo([agent('writer', 'Hidden.')])));
  const texts = await Array.fromAsync(textStream);
  expect(texts).toEqual(['Don', 'e.']);
  const all = await Array.fromAsync(events);
  expect(all.filter((event) => event.kind === 'text').map(({ delta }) => delta)).toEqual(['Hid', 'den', '.', 'Don', 'e.']);
  expect([all.at(0)?.kind, all.at(-1)?.kind]).toEqual(['run-start', 'run-end']);
  expect((await result).output).toBe('Done.');
});

test('a run that does not stream tells no text', async () => {
  const bus = createBus();
  const kinds: string[] = [];
  bus.subscribe(({ kind }) => kinds.push(kind));
  await agentStep(agent('a', 'Done.')).run('Go.', { runner, bus });
  expect(kinds).toEqual(['run-start', 'run-end']);
});

test('whoever stops reading, or never reads, neither stops the run nor hangs it', async () => {
  const { events, result } = run(agentStep(agent('a', 'Done.')));
  for await (const _ of events) break;
  expect((await result).output).toBe('Done.');
  expect((await Array.fromAsync(events)).length).toBe(4);
});

test('a run that cannot start ends its stream, too', async () => {
  const { events, textStream, result } = run(functionStep('f', String), { limits: { depth: 0 } });
  expect([await Array.fromAsync(events), await Array.fromAsync(textStream)]).toEqual([[], []]);
  expect((await result).error).toMatchObject({ code: 'invalid-definition' });
});

test('a reply is put together in the order in which its parts began, with what the provider noted on them', async () => {
  const signature = { test: { signature: 'x' } };
  const { node, scripted } = streaming(
    { type: 'stream-start', warnings: [] },
    { type: 'reasoning-start', id: '0' },
    { type: 'text-start', id: '0' },
    { type: 'tool-input-start', id: 'a', toolName: 'note' },
    { type: 'tool-input-start', id: 'b', toolName: 'note' },
    { type: 'reasoning-delta', id: '0', delta: 'Hm' },
    { type: 'text-delta', id: '0', delta: 'Let ' },
    { type: 'tool-input-delta', id: 'b', delta: '{"n"' },
    { type: 'text-delta', id: '0', delta: 'me.' },
    { type: 'reasoning-end', id: '0', providerMetadata: signature },
    { type: 'text-end', id: '0' },
    { type: 'tool-input-delta', id: 'b', delta: ':2}' },
    { type: 'tool-input-end', id: 'b' },
    { type: 'tool-call', toolCallId: 'b', toolName: 'note', input: '{"n":2}' },
    { type: 'tool-input-delta', id: 'a', delta: '{"n":1}' },
    { type: 'tool-input-end', id: 'a' },
    { type: 'tool-call', toolCallId: 'c', toolName: 'note', input: '{"n":3}' },
    { type: 'raw', rawValue: 'whatever' },
    finish,
  );
  expect((await run(node).result).output).toBe('noted 1,noted 2,noted 3');
  const [, said] = scripted.asked[0]?.prompt ?? [];
  expect(said?.content).toEqual([
    { type: 'reasoning', text: 'Hm', providerOptions: signature },
    { type: 'text', text: 'Let me.' },
    { type: 'tool-call', toolCallId: 'a', toolName: 'note', input: { n: 1 } },
    { type: 'tool-call', toolCallId: 'b', toolName: 'note', input: { n: 2 } },
    { type: 'tool-call', toolCallId: 'c', toolName: 'note', input: { n: 3 } },
  ]);
});

test('a stream that breaks off is a failure, and so is one that reports an error, even after some text', async () => {
  const broken = [
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'Almost' },
  ] satisfies LanguageModelV4StreamPart[];
  expect((await run(streaming(...broken).node).result).error).toMatchObject({ code: 'incomplete-reply' });
  const error = new Error('overloaded');
  expect((await run(streaming(...broken, { type: 'error', error }, finish).node).result).error).toBe(error);
  expect((await run(streaming(finish).node).result).output).toBe('');
});

test('an abort stops the reading, lets the stream go, and is told with its reason', async () => {
  const controller = new AbortController();
  let letGo: unknown;
  const endless = new ReadableStream<LanguageModelV4StreamPart>({
    pull: (source) => source.enqueue({ type: 'text-delta', id: '0', delta: 'and ' }),
    cancel: (reason) => void (letGo = reason),
  });
  const scripted = { ...saying(), doStream: async () => ({ stream: endless }) };
  const { textStream, result } = run(agentStep(defineAgent({ name: 'a', instructions: '', model: scripted })), { signal: controller.signal });
  for await (const _ of textStream) controller.abort('enough');
  expect((await result).error).toMatchObject({ code: 'cancelled', cause: 'enough' });
  expect(letGo).toBe('enough');
});

test('a stream that is only given after the abort is read for what it cost', async () => {
  const controller = new AbortController();
  const ledger = createLedger('Go.');
  const texts: RunEvent[] = [];
  const scripted = model(() => (controller.abort('enough'), 'Too late.'));
  const { events, result } = run(agentStep(defineAgent({ name: 'a', instructions: '', model: scripted })), { signal: controller.signal, ledger });
  for await (const event of events) if (event.kind === 'text') texts.push(event);
  expect((await result).error).toMatchObject({ code: 'cancelled', cause: 'enough' });
  expect([texts, ledger.report().own]).toEqual([[], COST]);
});

test('a model that is asked for a stream hears of the abort', async () => {
  const controller = new AbortController();
  const silent = stalling();
  const { result } = run(agentStep(defineAgent({ name: 'a', instructions: '', model: silent })), { signal: controller.signal });
  await silent.waiting;
  controller.abort('enough');
  expect((await result).error).toMatchObject({ code: 'cancelled', cause: 'enough' });
});
