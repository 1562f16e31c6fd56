import { tool, ToolLoopAgent, type LanguageModelUsage as Usage } from 'ai';
import ai from 'ai/package.json' with { type: 'json' };
import { z } from 'zod';
import type { Adapter, AgentSpec, Instruments, RunInput, RunOutcome, Team } from '../../spec/model/ports.ts';

/** A tool's context is a record: what the caller hands over is one thing in it. */
const handed = z.object({ host: z.unknown() });
/** A `ToolLoopAgent` as it is called here. Its own type does not let call options be left out. */
type Agent = { generate(call: { prompt: string; abortSignal: AbortSignal | undefined; options?: Handed }): Promise<{ text: string; usage: Usage; totalUsage: Usage }> };

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
  },
  delegation(team, kit) {
    const agents = new Map<string, Agent>();
    for (const spec of team.agents) agents.set(spec.name, agentOf(spec, team, kit, agents));
    return (input) => run(agents.get(team.root) as Agent, input);
  },
} satisfies Adapter;

/** The SDK has two names for one figure. A call that is rejected gives an error only: what was spent is gone with it. */
function run(agent: Agent, { prompt, host, signal }: RunInput): Promise<RunOutcome> {
  const tokens = ({ inputTokens: input, outputTokens: output }: Usage) => ({ input, output });
  return agent.generate({ prompt, abortSignal: signal, options: { host } }).then(
    ({ text, usage, totalUsage }) => ({ status: 'completed', text, usage: { own: tokens(usage), total: tokens(totalUsage) } }),
    (error) => ({ status: signal.aborted && error === signal.reason ? 'cancelled' : 'failed', error }),
  );
}

/** What differs between calls goes in as call options; an agent that is called without any has what it was built with. */
function agentOf({ name, instructions, delegates }: AgentSpec, { built }: Team, kit: Instruments, agents: ReadonlyMap<string, Agent>): Agent {
  const { description, input, call } = kit.probe;
  const probe = tool({ description, inputSchema: input, contextSchema: handed, execute: (found, { context, abortSignal: signal }) => call(found, { host: context.host, signal }) });
  return new ToolLoopAgent<z.infer<typeof handed> | undefined, { probe: typeof probe }>({
    model: kit.model(name),
    instructions,
    tools: { ...Object.fromEntries(delegates.map((to) => [kit.toolFor(to), delegationTo(to, kit, agents)])), probe },
    toolsContext: { probe: { host: built?.host } },
    callOptionsSchema: handed,
    prepareCall: ({ options, ...settings }) => ({ ...settings, toolsContext: options ? { probe: options } : settings.toolsContext }),
  }) as Agent;
}

/** As the documentation shows how a sub-agent is called. */
function delegationTo(to: string, { taskInput: inputSchema }: Instruments, agents: ReadonlyMap<string, Agent>) {
  const execute = async ({ task }: { task: string }, { abortSignal }: { abortSignal?: AbortSignal }) =>
    (await (agents.get(to) as Agent).generate({ prompt: task, abortSignal })).text;
  return tool({ description: `Delegates a task to ${to}.`, inputSchema, execute });
}
