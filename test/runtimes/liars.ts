import type { Adapter, DelegationPort, Instruments, ModelMessage, RunInput, RunOutcome } from '../../spec/model/ports.ts';
import { answerOf, refIn } from '../../spec/model/ref.ts';
import { sum, type Usage, usageSchema } from '../../spec/model/usage.ts';
import second from './second.ts';
import { type Storyteller, storyteller } from './storyteller.ts';

/** Runtimes that claim everything and keep nothing of it. A kit that certifies one of them has not looked. */
export const liars: readonly Adapter[] = [
  liar('always-succeeds', () => async () => ({ status: 'completed', text: 'All done.' })),
  liar('always-fails', () => async () => ({ status: 'failed', error: new Error('No.') })),
  liar('always-cancelled', () => async () => ({ status: 'cancelled' })),
  liar('throws', () => async () => Promise.reject(new Error('No.'))),
  liar('echoes-the-script', () => async (input) => echo(input)),
  liar('reports-perfect-numbers', () => async (input) => ({ ...echo(input), usage: reportOf([]) })),
  liar('pretends-to-delegate', (_, kit) => (input) => pretend(kit, input)),
  liar('tells-perfect-events-of-what-it-does-not-do', (_, kit) => (input) => pretend(kit, input, storyteller(input))),
  liar('never-answers', () => () => new Promise(() => {})),
  liar('answers-before-it-works', (team, kit) => async (input) => (void runSecond(team, kit)(input), echo(input))),
  liar('works-twice', (team, kit) => async (input) => (await runSecond(team, kit)(input), runSecond(team, kit)(input))),
  liar('works-twice-at-once', (team, kit) => (input) => Promise.race([runSecond(team, kit)(input), runSecond(team, kit)(input)])),
  liar('serves-the-first-run-only', servesTheFirst),
];

function liar(name: string, delegation: DelegationPort): Adapter {
  return { name, version: '0', capabilities: second.capabilities, delegation };
}

/** The correct runtime, for liars that do work, but not as they say. */
function runSecond(...[team, kit]: Parameters<DelegationPort>) {
  return second.delegation(team, kit) as (input: RunInput) => Promise<RunOutcome>;
}

/** The answer that the script has for a prompt. */
function answerTo(prompt: string): string {
  return answerOf(refIn(prompt) ?? '');
}

function echo({ prompt }: RunInput): RunOutcome {
  return { status: 'completed', text: answerTo(prompt) };
}

/** Books that agree with themselves. */
function reportOf(spent: readonly Usage[]) {
  return { own: sum(spent), total: sum(spent), children: [] };
}

/** Asks the model of the agent that is run, and answers each of its calls as if a tool or a sub-agent had done it. */
async function pretend({ reply, toolFor }: Instruments, { prompt }: RunInput, teller?: Storyteller): Promise<RunOutcome> {
  teller?.begin();
  const messages: ModelMessage[] = [{ role: 'user', text: prompt }];
  const spent: Usage[] = [];
  try {
    for (let turn = 0; turn < 20; turn++) {
      const { text, calls, usage } = await reply({ messages: [...messages] });
      const { success, data } = usageSchema.safeParse(usage);
      if (success) spent.push(data);
      if (calls.length === 0) return (teller?.end('completed'), { status: 'completed', text, usage: reportOf(spent) });
      const delegates = (name: string): boolean => name.startsWith(toolFor(''));
      for (const call of calls) teller?.call(call, delegates(call.name) ? call.json : undefined);
      const results = calls.map(({ id, name, json }) => ({ id, text: delegates(name) ? answerTo(json) : `Did ${/r[^"]+/.exec(json)}.` }));
      messages.push({ role: 'assistant', text }, { role: 'tool', results });
    }
    throw new Error('No answer in 20 turns.');
  } catch (error) {
    teller?.end('failed');
    return { status: 'failed', error, usage: reportOf(spent) };
  }
}

/** Remembers the first outcome that it ever had. */
function servesTheFirst(...[team, kit]: Parameters<DelegationPort>) {
  let first: Promise<RunOutcome> | undefined;
  return (input: RunInput) => (first ??= runSecond(team, kit)(input));
}
