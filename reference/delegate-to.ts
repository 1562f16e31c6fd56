import { z } from 'zod';
import type { Agent, Tools } from './agent.ts';
import { agentStep } from './agent-step.ts';
import type { Node } from './node.ts';
import { type NamedTool, nodeTool, type Provisions, toolbox } from './node-tool.ts';
import { type RetryOptions, withRetry } from './with-retry.ts';
import { withTimeout } from './with-timeout.ts';

const taskInput = z.object({ task: z.string().describe('What to do, with all that is needed to do it.') });

/** A member of a team: an agent, a node, or one of them with how it is run. */
export type Member = Agent | Node<string, unknown> | MemberTerms;

/** A sub-agent with its own timeout and retry. */
export type MemberTerms = ({ readonly agent: Agent; readonly node?: never } | { readonly node: Node<string, unknown>; readonly agent?: never }) & {
  /** Milliseconds that each attempt may take. */
  readonly timeout?: number | undefined;
  readonly retry?: RetryOptions | undefined;
};

/**
 * Makes a team: one tool per sub-agent, by its name, that takes a task. The sub-agent is told the task and nothing else
 * of the conversation.
 * @throws InvalidDefinitionError when two sub-agents have one name, or a timeout or retry makes no sense
 */
export function delegateTo(members: readonly Member[], provisions: Provisions = {}): Tools {
  return toolbox(members.map((member) => delegation(nodeOf(member), provisions)));
}

function nodeOf(member: Member): Node<string, unknown> {
  if ('model' in member) return agentStep(member);
  if ('run' in member) return member;
  const { agent, node = agentStep(agent as Agent), timeout, retry } = member;
  const timed = timeout === undefined ? node : withTimeout(node, timeout);
  return retry === undefined ? timed : withRetry(timed, retry);
}

function delegation(node: Node<string, unknown>, provisions: Provisions): NamedTool {
  const description = node.description ?? `Delegates a task to ${node.name}.`;
  return [node.name, nodeTool({ ...provisions, description, input: taskInput, node, prompt: ({ task }) => task })];
}
