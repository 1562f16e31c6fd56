import { type Adapter, defineAdapter, type ModelMessage, type Probe, type Team } from 'delegation-tck';

type Kit = Parameters<Adapter['delegation']>[1];
type Probing = Parameters<Probe['call']>[1];

/** The smallest runtime there is: a loop that asks the model and runs the tool calls of a turn at the same time. */
async function run(name: string, prompt: string, team: Team, kit: Kit, context: Probing): Promise<string> {
  const { instructions = '', tools = [], delegates = [] } = team.agents.find((agent) => agent.name === name) ?? {};
  const messages: ModelMessage[] = [
    { role: 'system', text: instructions },
    { role: 'user', text: prompt },
  ];
  for (;;) {
    const { text, calls } = await kit.reply({ messages, tools: [...tools.map((tool) => tool.name), ...delegates.map(kit.toolFor)] });
    if (calls.length === 0) return text;
    const call = async ({ name: tool, json }: (typeof calls)[number]): Promise<string> => {
      const callee = team.agents.find((agent) => kit.toolFor(agent.name) === tool);
      if (callee) return run(callee.name, kit.taskInput.parse(JSON.parse(json)).task, team, kit, context);
      const probe = tools.find((own) => own.name === tool);
      if (!probe) throw new Error(`${name} has no tool ${tool}.`);
      return probe.call(probe.input.parse(JSON.parse(json)), context);
    };
    const results = await Promise.all(calls.map(async (each) => ({ id: each.id, text: await call(each).catch(String) })));
    messages.push({ role: 'assistant', text }, { role: 'tool', results });
  }
}

const lacking = 'The loop has nothing of the kind.';

export default defineAdapter({
  name: 'bare-loop',
  version: '1.0.0',
  capabilities: {
    host: true,
    parallel: true,
    scratchpad: lacking,
    deps: lacking,
    usage: lacking,
    limits: lacking,
    composites: lacking,
    abort: lacking,
    timeouts: lacking,
    turns: lacking,
    streaming: lacking,
    structured: lacking,
    runners: lacking,
    events: lacking,
  },
  delegation:
    (team, kit) =>
    ({ prompt, host }) =>
      run(team.root, prompt, team, kit, { host }).then(
        (text) => ({ status: 'completed', text }),
        (error: unknown) => ({ status: 'failed', error }),
      ),
});
