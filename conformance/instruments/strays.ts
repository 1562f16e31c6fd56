import type { ModelMessage, ModelRequest } from '../../spec/model/ports.ts';
import { depthOf, isAbove, parseCallRef, type Ref } from '../../spec/model/ref.ts';

/** Every sentence of the kit that names who it belongs to. */
const SENTENCES = /(Carry out task|Done with|Did|You are the) ([\w/.#:]*\w)\./g;

/** Finds what a model is shown that belongs to another task than its own. Each sentence is named once. */
export function straysIn({ messages }: ModelRequest, task: Ref, agent: string): readonly string[] {
  const strays = new Set<string>();
  for (const message of messages) {
    for (const text of textsOf(message))
      for (const [sentence, what, name] of text.matchAll(SENTENCES)) if (!isOwn(what as string, name as string, task, agent)) strays.add(sentence);
  }
  return [...strays];
}

function textsOf(message: ModelMessage): readonly string[] {
  return message.role === 'tool' ? message.results.map(({ text }) => text) : [message.text];
}

/** One's own: the prompt and the instructions, the results of one's calls, what one asked others and what they answered. */
function isOwn(what: string, name: string, task: Ref, agent: string): boolean {
  switch (what) {
    case 'You are the':
      return name === agent;
    case 'Did':
      return parseCallRef(name)?.ref === task;
    case 'Carry out task':
      return name === task || isBelow(name, task);
    default:
      return isBelow(name, task);
  }
}

/** One delegation down, or a part of it. */
function isBelow(ref: Ref, task: Ref): boolean {
  return isAbove(task, ref) && depthOf(ref) === depthOf(task) + 1;
}
