import { agentStep, createRunner, defineAgent, nodeTool, type Node } from '../reference/index.ts';
import { z } from 'zod';
import type { Measured } from './measured.ts';
import { countingDown } from './scripted.ts';
import { sideBySide, times } from './side-by-side.ts';

const runner = createRunner();

/** What a delegation costs in a chain of a hundred, against one of ten. */
export async function measureDepth(): Promise<readonly Measured[]> {
  const node = selfDelegating();
  const down = (depth: number) => () => node.run(String(depth), { runner, limits: { depth } });
  return [{ name: 'depth-100/depth-10', value: await sideBySide(times(5, down(100)), times(50, down(10)), { rounds: 80, warmUp: 20 }), bar: 1.3 }];
}

/** Whether a chain that is longer than a call stack ends with the error of its limit, and no other. */
export async function measureLimit(): Promise<readonly Measured[]> {
  const depth = 10_000;
  const { output } = await selfDelegating().run(String(2 * depth), { runner, limits: { depth, steps: 2 * depth } });
  return [{ name: 'limit of 10,000 not met', value: output?.includes(`depth limit ${depth} reached`) ? 0 : 1, bar: 0, unit: 'faults' }];
}

/** An agent that delegates to itself as often as its task says. */
function selfDelegating(): Node {
  const again = nodeTool({ description: 'Again.', input: z.object({ task: z.string() }), node: () => self, prompt: ({ task }) => task });
  const self: Node = agentStep(defineAgent({ name: 'writer', instructions: '', model: countingDown('again'), tools: { again } }));
  return self;
}
