import { isStepCount, Output, tool, ToolLoopAgent } from 'ai';
import ai from 'ai/package.json' with { type: 'json' };
import { z } from 'zod';
import type { Adapter, AgentSpec, Instruments, Probe, Team } from '../../spec/model/ports.ts';
import { telemetry } from './events.ts';
import { type Agent, run } from './run.ts';

/** A tool's context is a record: what the caller hands over is one thing in it. */
const handed = z.object({ host: z.unknown() });
type Handed = z.infer<typeof handed>;
type Tools = Record<string, ReturnType<typeof probeTool>>;
type Member = { readonly spec: AgentSpec; readonly agent: Agent };

export default {
  name: 'ai-sdk',
  version: ai.version,
  capabilities: {
    host: true,
    scratchpad: 'a run has no state that its tools share',
    deps: 'there are no named dependencies; what a tool needs is put into its context',
    usage: true,
    limits: 'there is no limit on depth, visits or activations; stopWhen counts the steps of one agent',
    composites: 'workflows are plain code around agents',
    parallel: true,
    abort: true,
    timeouts: true,
    turns: true,
    streaming: true,
    structured: true,
    runners: 'an agent runs itself, on the model that its own definition names or picks; there is nothing to run it on',
    events: true,
  },
  delegation(team, kit) {
    const members: ReadonlyMap<string, Member> = new Map(team.agents.map((spec) => [spec.name, { spec, agent: agentOf(spec, team, kit, member) }]));
    function member(name: string): Member {
      return members.get(name) as Member;
    }
    const { agent, spec } = member(team.root);
    return (input) => run(agent, spec.output !== undefined, input);
  },
} satisfies Adapter;

/** What differs between calls goes in as call options; an agent that is called without any has what it was built with. */
function agentOf({ name, instructions, delegates, tools, turns, output }: AgentSpec, { built }: Team, kit: Instruments, member: (name: string) => Member): Agent {
  const probes = tools.map((probe) => [probe.name, probeTool(probe)] as const);
  const contexts = (context: Handed) => Object.fromEntries(tools.map((probe) => [probe.name, context]));
  return new ToolLoopAgent<Handed | undefined, Tools, Record<string, unknown>, Output.Output>({
    model: kit.model(name),
    instructions,
    tools: { ...Object.fromEntries(delegates.map((to) => [kit.toolFor(to), delegationTo(to, kit, member)])), ...Object.fromEntries(probes) } as Tools,
    toolsContext: contexts({ host: built?.host }),
    callOptionsSchema: handed,
    prepareCall: ({ options, ...settings }) => ({ ...settings, toolsContext: options ? contexts(options) : settings.toolsContext }),
    telemetry,
    ...(turns && { stopWhen: isStepCount(turns) }),
    ...(output && { output: Output.object({ schema: output }) }),
    // The default prints it.
    onError: () => {},
  }) as Agent;
}

function probeTool({ description, input, call }: Probe) {
  return tool({ description, inputSchema: input, contextSchema: handed, execute: (found, { context, abortSignal: signal }) => call(found, { host: context.host, signal }) });
}

/** As the documentation shows how a sub-agent is called. */
function delegationTo(to: string, { taskInput: inputSchema }: Instruments, member: (name: string) => Member) {
  const execute = async ({ task }: { task: string }, { abortSignal }: { abortSignal?: AbortSignal }) => {
    const { agent, spec } = member(to);
    const result = await agent.generate({ prompt: task, abortSignal, timeout: spec.timeout });
    return spec.output ? result.output : result.text;
  };
  return tool({ description: `Delegates a task to ${to}.`, inputSchema, execute });
}
