import { tool, ToolLoopAgent } from 'ai';
import { z } from 'zod';
import { coordinatorStep, createRunner, defineAgent, delegateTo } from '../reference/index.ts';
import { bareLoop } from './bare-loop.ts';
import type { Measured } from './measured.ts';
import { callingOnce } from './scripted.ts';
import { sideBySide, times, type Work } from './side-by-side.ts';

const TASK = 'Write about tides.';
const input = z.object({ task: z.string() });
const note = async ({ task }: { task: string }): Promise<string> => task;

/** One delegation: a lead asks a writer, the writer calls one tool and answers, the lead answers. */
const models = { lead: callingOnce([{ tool: 'writer', task: TASK }]), writer: callingOnce([{ tool: 'note', task: TASK }]) };

/** What a delegation costs in the reference, against a bare loop and against the AI SDK. */
export async function measureDelegation(): Promise<readonly Measured[]> {
  const [reference, bare, sdk] = [referenceTeam(), bareTeam(), sdkTeam()];
  return [
    { name: 'delegation/bare-loop', value: await sideBySide(times(300, reference), times(300, bare), { rounds: 60, warmUp: 20 }), bar: 4 },
    { name: 'delegation/ai-sdk', value: await sideBySide(times(20, reference), times(20, sdk), { rounds: 40, warmUp: 15 }), bar: 0.15 },
  ];
}

function referenceTeam(): Work {
  const runner = createRunner();
  const writer = defineAgent({ name: 'writer', instructions: '', model: models.writer, tools: { note: tool({ inputSchema: input, execute: note }) } });
  const lead = coordinatorStep(defineAgent({ name: 'lead', instructions: '', model: models.lead }), delegateTo([writer]));
  return () => lead.run(TASK, { runner });
}

function bareTeam(): Work {
  const writer = ({ task }: { task: string }): Promise<string> => bareLoop(models.writer, { note }, task);
  return () => bareLoop(models.lead, { writer }, TASK);
}

function sdkTeam(): Work {
  const agent = new ToolLoopAgent({ model: models.writer, tools: { note: tool({ inputSchema: input, execute: note }) } });
  const writer = tool({ inputSchema: input, execute: async ({ task }, { abortSignal }) => (await agent.generate({ prompt: task, ...(abortSignal && { abortSignal }) })).text });
  const lead = new ToolLoopAgent({ model: models.lead, tools: { writer } });
  return () => lead.generate({ prompt: TASK });
}
