import { type Agent, type Tools, viewOf, withTools } from './agent.ts';
import { type AgentStepOptions, agentStep } from './agent-step.ts';
import type { Node } from './node.ts';

/**
 * Makes a node of an agent that has a team to delegate to besides its own tools. The agent itself stays as it is.
 * @throws InvalidDefinitionError when a tool of the team is named like one of the agent's
 */
export function coordinatorStep<In = string, Out = string>(agent: Agent, team: Tools, options: AgentStepOptions<In, Out> = {}): Node<In, Out> {
  const { model, tools, ...rest } = options;
  return agentStep(withTools(viewOf(agent, { model, tools }), team), rest);
}
