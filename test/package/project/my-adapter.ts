import { type Adapter, defineAdapter, type ModelMessage, type Probe } from 'delegation-tck';

type Kit = Parameters<Adapter['delegation']>[1];
type Probing = Parameters<Probe['call']>[1];

/** The smallest runtime there is: a loop that asks the model and runs the tool calls of a turn at the same time. */
async function run(prompt: string, kit: Kit, context: Probing, delegations: ReadonlySet<string>): Promise<string> {
  const messages: ModelMessage[] = [{ role: 'user', text: prompt }];
  for (;;) {
    const { text, calls } = await kit.reply({ messages });
    if (calls.length === 0) return text;
    const call = async ({ name, input }: (typeof calls)[number]): Promise<string> => {
      if (delegations.has(name)) return run(String(input.task), kit, context, delegations);
      return kit.probe.call({ call: String(input.call) }, context);
    };
    const results = await Promise.all(calls.map(async (each) => ({ id: each.id, text: await call(each).catch(String) })));
    messages.push({ role: 'assistant', text }, { role: 'tool', results });
  }
}

const lacking = 'The loop has nothing of the kind.';

export default defineAdapter({
  name: 'bare-loop',
  version: '1.0.0',
  capabilities: { host: true, parallel: true, scratchpad: lacking, deps: lacking, usage: lacking, limits: lacking, composites: lacking, abort: lacking },
  delegation: (team, kit) => {
    const delegations = new Set(team.agents.map(({ name }) => kit.toolFor(name)));
    return ({ prompt, host }) =>
      run(prompt, kit, { host }, delegations).then(
        (text) => ({ status: 'completed', text }),
        (error: unknown) => ({ status: 'failed', error }),
      );
  },
});
