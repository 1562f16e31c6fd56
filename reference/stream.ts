import { createBus } from './bus.ts';
import { Journal } from './journal.ts';
import type { Node, RunStart } from './node.ts';
import { failed, type NodeResult } from './node-result.ts';
import type { RunEvent } from './run-event.ts';

/** A run to be watched. Nobody has to: the run goes on whether or not its events are read, and they wait for whoever reads late. */
export interface RunStream<Out> {
  /** All that happens, from the start of the run to its end. */
  readonly events: AsyncIterable<RunEvent>;
  /** What the agent that was started says, in pieces; empty where it is no agent that was started. */
  readonly textStream: AsyncIterable<string>;
  /** The result that `run()` would have had. It never rejects. */
  readonly result: Promise<NodeResult<Out>>;
}

/**
 * Starts a node as its `run()` does, with models that are asked for streams. To end it early, abort its signal.
 * @requirement conversation.streaming-changes-nothing
 */
export function stream<In, Out>(node: Node<In, Out>, input: In, start: RunStart): RunStream<Out> {
  const journal = new Journal<RunEvent>();
  const bus = createBus();
  bus.subscribe((event) => journal.add(event));
  const { bus: told } = start;
  if (told) bus.subscribe((event) => told.emit(event));
  const run = async (): Promise<NodeResult<Out>> => node.run(input, { ...start, bus, streaming: true });
  const result = run()
    .catch(failed)
    .finally(() => journal.close());
  return Object.freeze({ events: { [Symbol.asyncIterator]: () => journal.read() }, textStream: { [Symbol.asyncIterator]: () => textOfRoot(journal) }, result });
}

/**
 * Picks out what the root says. A turn that says something and then calls tools is in it, too.
 * @requirement conversation.a-stream-says-the-answer
 */
async function* textOfRoot(journal: Journal<RunEvent>): AsyncGenerator<string, void> {
  for await (const event of journal.read()) if (event.kind === 'text' && event.runId === event.rootRunId) yield event.delta;
}
