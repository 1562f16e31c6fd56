import type { ModelMessage, ModelRequest } from '../../spec/model/ports.ts';
import { depthOf, isAbove, parseCallRef, type Ref } from '../../spec/model/ref.ts';

/** Every sentence of the kit that names who it belongs to. */
const SENTENCES = /\b(?:Carry out task (?<task>[\w/.#]+)|Done with (?<answer>[\w/.#]+)|Did (?<call>[\w/.#:]+)|You are the (?<agent>\w+))\./g;

/** Finds what a model is shown that belongs to another task than its own. Each sentence is named once. */
export function straysIn({ messages }: ModelRequest, task: Ref, agent: string): readonly string[] {
  const strays = new Set<string>();
  for (const message of messages) {
    for (const text of textsOf(message)) for (const match of text.matchAll(SENTENCES)) if (!isOwn(match.groups ?? {}, task, agent)) strays.add(match[0]);
  }
  return [...strays];
}

function textsOf(message: ModelMessage): readonly string[] {
  return message.role === 'tool' ? message.results.map(({ text }) => text) : [message.text];
}

/** One's own: the prompt and the instructions, the results of one's calls, what one asked others and what they answered. */
function isOwn(found: Readonly<Record<string, string | undefined>>, task: Ref, agent: string): boolean {
  const { task: prompt, answer, call, agent: name } = found;
  if (prompt !== undefined) return prompt === task || isBelow(prompt, task);
  if (name !== undefined) return name === agent;
  if (call !== undefined) return parseCallRef(call)?.ref === task;
  return answer !== undefined && isBelow(answer, task);
}

/** One delegation down, or a part of it. */
function isBelow(ref: Ref, task: Ref): boolean {
  return isAbove(task, ref) && depthOf(ref) === depthOf(task) + 1;
}
