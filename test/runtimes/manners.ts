import { setImmediate as turn } from 'node:timers/promises';
import { onInstruments, onProbes, running } from '../../conformance/mutant.ts';
import type { Adapter, Instruments, ModelMessage, ModelReply, ModelRequest } from '../../spec/model/ports.ts';
import { tellingOfComposites } from './second.ts';

/** Ways in which correct runtimes differ, put between a runtime and what the kit lends to it. */
export const manners: Readonly<Record<string, (adapter: Adapter) => Adapter>> = {
  'gives a model its results as JSON': telling((text) => JSON.stringify({ output: text })),
  'puts words and figures of its own before a result': telling((text) => `Result 1 of 12, after 30 ms: ${text}`),
  'words failures in its own way around their cause': (adapter) =>
    wrappingErrors(telling((text) => text.replace(/^Failed: (.*)$/s, '<tool_error>$1</tool_error> Do try something else.'))(adapter)),
  'takes a while to start a tool': (adapter) => onProbes(adapter, () => (call) => (input, context) => after(4, context.signal, () => call(input, context))),
  'takes a while to pass a result on': (adapter) => onProbes(adapter, () => (call) => (input, context) => call(input, context).finally(() => turns(4))),
  'takes a while to ask a model, and not always as long': asking((request, reply) => after(request.messages.length % 3, request.signal, () => reply(request))),
  'takes a while to hear what a model says, or that it stopped': asking((request, reply) => reply(request).finally(() => turns(4))),
  'takes a turn of the event loop to pass an abort on': (adapter) =>
    asking(({ signal, ...request }, reply) => reply({ ...request, signal: signal && late(signal) }))(
      onProbes(adapter, () => (call) => (input, context) => call(input, { ...context, signal: context.signal && late(context.signal) })),
    ),
  'asks a model that failed once more': asking((request, reply) => reply(request).catch((error) => (request.signal?.aborted ? Promise.reject(error) : reply(request)))),
  'offers a tool of its own besides': asking((request, reply) => reply({ ...request, tools: [...(request.tools ?? []), 'final_answer'] })),
  'tells of composites as of runs': () => tellingOfComposites,
};

/** A runtime that does not say which tools it offers. Some requirements cannot be judged then, and none is broken. */
export const tellingOfNoTools = asking(({ tools: _, ...request }, reply) => reply(request));

/** Changes how models are asked. */
function asking(ask: (request: ModelRequest, reply: Instruments['reply']) => Promise<ModelReply>): (adapter: Adapter) => Adapter {
  return (adapter) => onInstruments(adapter, (kit) => ({ ...kit, reply: (request) => ask(request, kit.reply) }));
}

/** Changes how the results of calls are worded. */
function telling(word: (text: string) => string): (adapter: Adapter) => Adapter {
  const told = (message: ModelMessage): ModelMessage =>
    message.role === 'tool' ? { ...message, results: message.results.map(({ id, text }) => ({ id, text: word(text) })) } : message;
  return asking(({ messages, ...request }, reply) => reply({ ...request, messages: messages.map(told) }));
}

/** Puts an error of its own around the one that a run ended with. */
function wrappingErrors(adapter: Adapter): Adapter {
  return running(adapter, () => ({
    after: (outcome) => (outcome.error === undefined ? outcome : { ...outcome, error: new Error('The run came to no answer.', { cause: outcome.error }) }),
  }));
}

/** A signal that follows another after a turn of the event loop. */
function late(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const follow = (): void => void turn().then(() => controller.abort(signal.reason));
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  return controller.signal;
}

/** Goes on a while later, unless nothing new may start by then. */
async function after<T>(count: number, signal: AbortSignal | undefined, next: () => Promise<T>): Promise<T> {
  await turns(count);
  signal?.throwIfAborted();
  return next();
}

/** Lets some turns of the event loop go by. */
async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await turn();
}
