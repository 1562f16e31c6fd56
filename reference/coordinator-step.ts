import { type Agent, type Tools, withTools } from './agent.ts';
import { agentStep } from './agent-step.ts';
import type { Node } from './node.ts';

/**
 * Makes a node of an agent that has a team to delegate to besides its own tools. The agent itself stays as it is.
 * @throws InvalidDefinitionError when a tool of the team is named like one of the agent's
 */
export function coordinatorStep(agent: Agent, team: Tools): Node {
  return agentStep(withTools(agent, team));
}
