import { tool, ToolLoopAgent, type LanguageModelUsage as Usage } from 'ai';
import ai from 'ai/package.json' with { type: 'json' };
import { z } from 'zod';
import type { Adapter, AgentSpec, Instruments, Probe, RunInput, RunOutcome, Team } from '../../spec/model/ports.ts';
import { sum } from '../../spec/model/usage.ts';

/** A tool's context is a record: what the caller hands over is one thing in it. */
const handed = z.object({ host: z.unknown() });
type Handed = z.infer<typeof handed>;
/** A `ToolLoopAgent` as it is called here. Its own type does not let call options be left out. */
type Agent = { generate(call: Call): Promise<{ text: string; usage: Usage }> };
type Call = { prompt: string; abortSignal: AbortSignal | undefined; options?: Handed; onStepEnd?: (step: { usage: Usage }) => void };

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
    timeouts: 'later',
    turns: 'later',
    streaming: 'later',
    structured: 'later',
    runners: 'later',
    events: 'later',
  },
  delegation(team, kit) {
    const agents: ReadonlyMap<string, Agent> = new Map(team.agents.map((spec) => [spec.name, agentOf(spec, team, kit, (to) => agents.get(to) as Agent)]));
    return (input) => run(agents.get(team.root) as Agent, input);
  },
} satisfies Adapter;

/** The SDK has one figure, the sum of the agent's own steps. A call that is rejected has none, but its steps were told to `onStepEnd`. */
function run(agent: Agent, { prompt, host, signal }: RunInput): Promise<RunOutcome> {
  const tokens = ({ inputTokens: input = 0, outputTokens: output = 0 }: Usage) => ({ input, output });
  const steps: Usage[] = [];
  return agent.generate({ prompt, abortSignal: signal, options: { host }, onStepEnd: ({ usage }) => void steps.push(usage) }).then(
    ({ text, usage }) => ({ status: 'completed', text, usage: { own: tokens(usage), total: tokens(usage) } }),
    (error) => ({ status: signal.aborted && error === signal.reason ? 'cancelled' : 'failed', error, usage: { own: sum(steps.map(tokens)), total: sum(steps.map(tokens)) } }),
  );
}

/** What differs between calls goes in as call options; an agent that is called without any has what it was built with. */
function agentOf({ name, instructions, delegates, tools }: AgentSpec, { built }: Team, kit: Instruments, agentNamed: (name: string) => Agent): Agent {
  const probes = tools.map((probe) => [probe.name, probeTool(probe)] as const);
  const contexts = (context: Handed) => Object.fromEntries(tools.map((probe) => [probe.name, context]));
  return new ToolLoopAgent<Handed | undefined, Record<string, ReturnType<typeof probeTool>>>({
    model: kit.model(name),
    instructions,
    tools: { ...Object.fromEntries(delegates.map((to) => [kit.toolFor(to), delegationTo(to, kit, agentNamed)])), ...Object.fromEntries(probes) } as Record<
      string,
      ReturnType<typeof probeTool>
    >,
    toolsContext: contexts({ host: built?.host }),
    callOptionsSchema: handed,
    prepareCall: ({ options, ...settings }) => ({ ...settings, toolsContext: options ? contexts(options) : settings.toolsContext }),
  }) as Agent;
}

function probeTool({ description, input, call }: Probe) {
  return tool({ description, inputSchema: input, contextSchema: handed, execute: (found, { context, abortSignal: signal }) => call(found, { host: context.host, signal }) });
}

/** As the documentation shows how a sub-agent is called. */
function delegationTo(to: string, { taskInput: inputSchema }: Instruments, agentNamed: (name: string) => Agent) {
  const execute = async ({ task }: { task: string }, { abortSignal }: { abortSignal?: AbortSignal }) => (await agentNamed(to).generate({ prompt: task, abortSignal })).text;
  return tool({ description: `Delegates a task to ${to}.`, inputSchema, execute });
}
