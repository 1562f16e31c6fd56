import type { Tool } from '@ai-sdk/provider-utils';
import * as reference from '../../reference/index.ts';
import type { Ambient } from '../../spec/model/parts.ts';
import type { AgentSpec, CompositeSpec, Instruments, Probe, Team } from '../../spec/model/ports.ts';
import type { RunnerName } from '../../spec/model/scenario.ts';

type NodeNamed = (name: string) => reference.Node;
type RunnerNamed = (name: RunnerName) => reference.Runner;

/** Makes each node when it is first asked for: agents may delegate to each other in circles. */
export function nodesOf(team: Team, kit: Instruments, ambient: reference.Runner): NodeNamed {
  const made = new Map<string, reference.Node>();
  const runner: RunnerNamed = (name) => reference.createRunner({ parts: ambient.parts, structured: name !== 'plain', middleware: (model) => kit.through(name, model) });
  const make: NodeNamed = (name) => {
    const agent = team.agents.find((spec) => spec.name === name);
    if (agent) return agentNamed(agent, team, kit, ambient, runner, node);
    const spec = team.composites.find((its) => its.name === name) as CompositeSpec;
    return spec.runner ? reference.withRunner(composite(spec, node), runner(spec.runner)) : composite(spec, node);
  };
  const node: NodeNamed = (name) => made.get(name) ?? (made.set(name, make(name)).get(name) as reference.Node);
  return node;
}

function agentNamed(spec: AgentSpec, { agents, built }: Team, kit: Instruments, ambient: reference.Runner, runner: RunnerNamed, node: NodeNamed): reference.Node {
  const { name, instructions, limits, turns, delegates, output } = spec;
  const provisions = { runner: ambient, host: built?.host, deps: built && reference.createDeps(built.deps), input: kit.taskInput, prompt: ({ task }: { task: string }) => task };
  const team = delegates.map((to) => [kit.toolFor(to), reference.nodeTool({ ...provisions, description: `Delegates to ${to}.`, node: () => timed(node(to), agents) })] as const);
  const tools = { ...Object.fromEntries(spec.tools.map((probe) => [probe.name, probeTool(probe)])), ...reference.toolbox(team) };
  const agent = reference.defineAgent({ name, instructions, limits, tools, model: kit.model(name), ...(turns && { maxIterations: turns }) });
  const options = { runner: spec.runner && runner(spec.runner), model: spec.overridden && kit.overridingModel(name) };
  return output ? reference.withOutput(reference.agentStep(agent, { ...options, output }), JSON.stringify) : reference.agentStep(agent, options);
}

/** An agent has its time when it is delegated to. */
function timed(node: reference.Node, agents: Team['agents']): reference.Node {
  const timeout = agents.find(({ name }) => name === node.name)?.timeout;
  return timeout === undefined ? node : reference.withTimeout(node, timeout);
}

function composite(spec: CompositeSpec, node: NodeNamed): reference.Node {
  const { name } = spec;
  const text = (outputs: readonly string[]): string => outputs.join('\n');
  switch (spec.kind) {
    case 'sequence':
      return reference.sequential({ name, parts: spec.parts.map(node), prompt: (_, index, input) => spec.prompt(input, index), continueOnError: true });
    case 'parallel':
      return reference.withOutput(reference.parallel({ name, parts: spec.parts.map(node), prompt: spec.prompt }), text);
    case 'fanout':
      return reference.withOutput(reference.fanOut({ name, part: node(spec.part), items: spec.items }), text);
    case 'loop':
      return reference.loop({ name, part: node(spec.part), prompt: (_, index, input) => spec.prompt(input, index), maxIterations: spec.times });
  }
}

function probeTool(probe: Probe): Tool {
  const execute = (input: { call: string }, { context, abortSignal: signal }: { context: Ambient; abortSignal?: AbortSignal }): Promise<string> => {
    const { host, scratchpad: pad, deps } = context;
    return probe.call(input, { host, pad, dep: deps && ((key) => deps.get(key)), signal });
  };
  return { description: probe.description, inputSchema: probe.input, execute } as Tool;
}
