import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import { asSchema, type Schema, type Tool } from '@ai-sdk/provider-utils';
import type { Agent } from './agent.ts';

/** An agent's tools, made ready: as its model is told of them, and as they are called. */
export interface Equipment {
  readonly offer: { tools?: LanguageModelV4FunctionTool[] };
  readonly tools: ReadonlyMap<string, EquippedTool>;
}

/** A tool that can be executed, with the schema of its input. */
export interface EquippedTool {
  readonly execute: NonNullable<Tool['execute']>;
  readonly schema: Schema;
}

/** Schemas are converted once per agent, not once per run. An agent that is gone takes its equipment along. */
const made = new WeakMap<Agent, Promise<Equipment>>();

/**
 * Makes an agent's tools ready: those of its definition, and no others.
 * @requirement executor.offers-what-the-agent-has
 * @requirement executor.no-tools-means-none
 */
export function equipmentOf(agent: Agent): Promise<Equipment> {
  const known = made.get(agent);
  if (known) return known;
  const equipment = equip(agent);
  made.set(agent, equipment);
  return equipment;
}

async function equip(agent: Agent): Promise<Equipment> {
  const tools = Object.entries(agent.tools);
  const functions = await Promise.all(tools.map(([name, tool]) => asFunction(name, tool)));
  return {
    offer: functions.length > 0 ? { tools: functions } : {},
    tools: new Map(tools.map(([name, tool]) => [name, { execute: executeOf(tool), schema: asSchema(tool.inputSchema) }])),
  };
}

async function asFunction(name: string, { inputSchema, description, strict, providerOptions }: Tool): Promise<LanguageModelV4FunctionTool> {
  return {
    type: 'function',
    name,
    inputSchema: await asSchema(inputSchema).jsonSchema,
    // A description that depends on the context of a run is not told: equipment is made once for all runs.
    ...(typeof description === 'string' && { description }),
    ...(strict !== undefined && { strict }),
    ...(providerOptions && { providerOptions }),
  };
}

function executeOf(tool: Tool): EquippedTool['execute'] {
  return tool.execute?.bind(tool) as EquippedTool['execute'];
}
