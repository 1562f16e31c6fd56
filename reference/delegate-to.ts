import { z } from 'zod';
import type { Agent, Tools } from './agent.ts';
import { agentStep } from './agent-step.ts';
import type { Node } from './node.ts';
import { type NamedTool, nodeTool, type Provisions, toolbox } from './node-tool.ts';

const taskInput = z.object({ task: z.string().describe('What to do, with all that is needed to do it.') });

/**
 * Makes a team: one tool per sub-agent, by its name, that takes a task. The sub-agent is told the task and nothing else
 * of the conversation.
 * @throws InvalidDefinitionError when two sub-agents have one name
 */
export function delegateTo(subagents: readonly (Agent | Node<string, unknown>)[], provisions: Provisions = {}): Tools {
  return toolbox(subagents.map((subagent) => delegation('model' in subagent ? agentStep(subagent) : subagent, provisions)));
}

function delegation(node: Node<string, unknown>, provisions: Provisions): NamedTool {
  const description = node.description ?? `Delegates a task to ${node.name}.`;
  return [node.name, nodeTool({ ...provisions, description, input: taskInput, node, prompt: ({ task }) => task })];
}
