import { setImmediate as turn } from 'node:timers/promises';
import { onInstruments, onProbes } from '../../conformance/mutant.ts';
import type { Adapter, ModelMessage } from '../../spec/model/ports.ts';

/** Ways in which correct runtimes differ, put between a runtime and what the kit lends to it. */
export const manners: Readonly<Record<string, (adapter: Adapter) => Adapter>> = {
  'gives a model its results as JSON': telling((text) => JSON.stringify({ output: text })),
  'puts words and figures of its own before a result': telling((text) => `Result 1 of 12, after 30 ms: ${text}`),
  'takes a while to start a tool': (adapter) => onProbes(adapter, () => (call) => (input, context) => after(4, () => call(input, context))),
  'takes a while to pass a result on': (adapter) => onProbes(adapter, () => (call) => (input, context) => call(input, context).finally(() => turns(4))),
  'takes a while to ask a model, and not always as long': (adapter) =>
    onInstruments(adapter, (kit) => ({ ...kit, reply: (request) => after(request.messages.length % 3, () => kit.reply(request)) })),
};

/** Changes how the results of calls are worded. */
function telling(word: (text: string) => string): (adapter: Adapter) => Adapter {
  const told = (message: ModelMessage): ModelMessage =>
    message.role === 'tool' ? { ...message, results: message.results.map(({ id, text }) => ({ id, text: word(text) })) } : message;
  return (adapter) => onInstruments(adapter, (kit) => ({ ...kit, reply: ({ messages, ...request }) => kit.reply({ ...request, messages: messages.map(told) }) }));
}

async function after<T>(count: number, next: () => Promise<T>): Promise<T> {
  await turns(count);
  return next();
}

/** Lets some turns of the event loop go by. */
async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await turn();
}
