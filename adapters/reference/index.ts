import type { Tool } from '@ai-sdk/provider-utils';
import * as reference from '../../reference/index.ts';
import type { Ambient, MutableAdapter, Parts } from '../../spec/model/parts.ts';
import type { Adapter, AgentSpec, CompositeSpec, Instruments, Probe, RunInput, RunOutcome, Team } from '../../spec/model/ports.ts';

type NodeNamed = (name: string) => reference.Node;

const LATER = { timeouts: 'later', streaming: 'later', structured: 'later', runners: 'later', events: 'later' } as const;
const capabilities = { host: true, scratchpad: true, deps: true, usage: true, limits: true, composites: true, parallel: true, abort: true, turns: true, ...LATER } as const;
const parts = reference.createParts();
const adapter: MutableAdapter = { ...builtFrom(parts), withParts: (change) => builtFrom({ ...parts, ...change(parts) }) };
export default adapter;

function builtFrom(parts: Parts): Adapter {
  const runner = reference.createRunner({ parts });
  return { name: 'reference', version: reference.version, capabilities, delegation: (team, kit) => runTeam(nodesOf(team, kit, runner)(team.root), runner) };
}

function runTeam(root: reference.Node, runner: reference.Runner): (input: RunInput) => Promise<RunOutcome> {
  return async ({ prompt, deps, ...brought }) => {
    const ledger = runner.parts.createLedger(prompt);
    const { succeeded, output, error } = await root.run(prompt, { ...brought, runner, ledger, deps: reference.createDeps(deps) });
    const usage = ledger.report();
    if (succeeded) return { status: 'completed', text: output, usage };
    return { status: reference.isDelegationError(error, 'cancelled') ? 'cancelled' : 'failed', error, usage };
  };
}

/** Makes each node when it is first asked for: agents may delegate to each other in circles. */
function nodesOf(team: Team, kit: Instruments, runner: reference.Runner): NodeNamed {
  const made = new Map<string, reference.Node>();
  const make: NodeNamed = (name) => {
    const agent = team.agents.find((spec) => spec.name === name);
    return agent ? agentNamed(agent, team, kit, runner, node) : composite(team.composites.find((spec) => spec.name === name) as CompositeSpec, node);
  };
  const node: NodeNamed = (name) => made.get(name) ?? (made.set(name, make(name)).get(name) as reference.Node);
  return node;
}

function agentNamed(
  { delegates, name, instructions, limits, turns, ...spec }: AgentSpec,
  { built }: Team,
  kit: Instruments,
  runner: reference.Runner,
  node: NodeNamed,
): reference.Node {
  const provisions = { runner, host: built?.host, deps: built && reference.createDeps(built.deps), input: kit.taskInput, prompt: ({ task }: { task: string }) => task };
  const tools = delegates.map((to) => [kit.toolFor(to), reference.nodeTool({ ...provisions, description: `Delegates to ${to}.`, node: () => node(to) })] as const);
  return reference.agentStep(
    reference.defineAgent({
      name,
      instructions,
      limits,
      model: kit.model(name),
      tools: { ...Object.fromEntries(spec.tools.map((probe) => [probe.name, probeTool(probe)])), ...reference.toolbox(tools) },
    }),
  );
}

function composite(spec: CompositeSpec, node: NodeNamed): reference.Node {
  const text = (outputs: readonly string[]): string => outputs.join('\n');
  switch (spec.kind) {
    case 'sequence':
      return reference.sequential({ ...spec, parts: spec.parts.map(node), prompt: (_, index, input) => spec.prompt(input, index), continueOnError: true });
    case 'parallel':
      return reference.withOutput(reference.parallel({ ...spec, parts: spec.parts.map(node) }), text);
    case 'fanout':
      return reference.withOutput(reference.fanOut({ ...spec, part: node(spec.part) }), text);
    case 'loop':
      return reference.loop({ ...spec, part: node(spec.part), prompt: (_, index, input) => spec.prompt(input, index), maxIterations: spec.times });
  }
}

function probeTool(probe: Probe): Tool {
  const execute = (input: { call: string }, { context, abortSignal: signal }: { context: Ambient; abortSignal?: AbortSignal }): Promise<string> => {
    const { host, scratchpad: pad, deps } = context;
    return probe.call(input, { host, pad, dep: deps && ((key) => deps.get(key)), signal });
  };
  return { description: probe.description, inputSchema: probe.input, execute } as Tool;
}
