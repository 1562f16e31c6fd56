import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Tool } from '@ai-sdk/provider-utils';
import { InvalidDefinitionError } from './errors.ts';
import { checkLimits } from './limits.ts';
import type { NodeIdentity } from './node.ts';

/** Tools by the names that a model calls them by. */
export type Tools = Readonly<Record<string, Tool>>;

/** A model with instructions and tools. Frozen; one agent can run any number of times at once. */
export interface Agent extends NodeIdentity {
  readonly instructions: string;
  /** Any AI SDK language model. */
  readonly model: LanguageModelV4;
  readonly tools: Tools;
  /** How many turns its model has to come to an answer. */
  readonly maxIterations: number;
}

/** What an agent is defined by. `tools` defaults to none, `maxIterations` to 50. */
export type AgentDefinition = Omit<Agent, 'tools' | 'maxIterations'> & Partial<Pick<Agent, 'tools' | 'maxIterations'>>;

/**
 * Defines an agent.
 * @throws InvalidDefinitionError when a name is empty, a number is not a positive integer, or a tool cannot be executed here
 */
export function defineAgent(definition: AgentDefinition): Agent {
  const agent = { maxIterations: 50, ...definition, tools: Object.freeze({ ...definition.tools }) };
  check(agent);
  return Object.freeze(agent);
}

/**
 * An agent like another, with more tools. The other stays as it is.
 * @throws InvalidDefinitionError when both have a tool of one name
 */
export function withTools(agent: Agent, tools: Tools): Agent {
  const clash = Object.keys(tools).find((name) => Object.hasOwn(agent.tools, name));
  if (clash !== undefined) {
    throw new InvalidDefinitionError(`Agent "${agent.name}" already has a tool "${clash}". Name the added tool differently.`);
  }
  return defineAgent({ ...agent, tools: { ...agent.tools, ...tools } });
}

/** What a step changes about its agent. */
export interface AgentChange {
  readonly model?: LanguageModelV4 | undefined;
  /** Instead of the agent's own. */
  readonly tools?: Tools | undefined;
}

/**
 * A view of an agent with another model or other tools; all else is the agent's, and the agent stays as it is. Where
 * nothing changes it is the agent itself.
 * @throws InvalidDefinitionError when a tool cannot be executed here
 * @requirement context.model-override-holds-on-any-runner
 * @requirement context.model-override-changes-no-other-agent
 * @requirement executor.holds-under-another-model
 */
export function viewOf(agent: Agent, { model = agent.model, tools = agent.tools }: AgentChange): Agent {
  return model === agent.model && tools === agent.tools ? agent : defineAgent({ ...agent, model, tools });
}

function check({ name, maxIterations, limits, tools }: Agent): void {
  if (name === '') throw new InvalidDefinitionError('An agent has an empty name. Name it: chains of delegation are told by names.');
  if (!(Number.isInteger(maxIterations) && maxIterations > 0)) {
    throw new InvalidDefinitionError(`Agent "${name}" has maxIterations ${maxIterations}. Make it a positive integer.`);
  }
  checkLimits(`Agent "${name}"`, limits);
  const inert = Object.keys(tools).find((tool) => typeof tools[tool]?.execute !== 'function');
  if (inert !== undefined) {
    throw new InvalidDefinitionError(`Tool "${inert}" of agent "${name}" has no execute function. Give it one: tools run where the agent runs.`);
  }
}
