import { agentStep, coordinatorStep, createRunner, defineAgent, delegateTo, type Node } from '../reference/index.ts';
import type { Measured } from './measured.ts';
import { callingOnce } from './scripted.ts';
import { sideBySide, times } from './side-by-side.ts';

const runner = createRunner();

/** What a delegation costs among a thousand of one turn, against ten. Both sides make equally many delegations. */
export async function measureFanOut(): Promise<readonly Measured[]> {
  const [wide, narrow] = [fanningOut(1000), fanningOut(10)];
  const run = (node: Node) => () => node.run('Go.', { runner, limits: { steps: 2000 } });
  return [{ name: 'fanout-1000/fanout-10', value: await sideBySide(run(wide), times(100, run(narrow)), { rounds: 100, warmUp: 30 }), bar: 1.3 }];
}

/** An agent that delegates so often in one turn. */
function fanningOut(width: number): Node {
  const calls = Array.from({ length: width }, (_, index) => ({ tool: 'writer', task: `Write chapter ${index}.` }));
  const writer = agentStep(defineAgent({ name: 'writer', instructions: '', model: callingOnce([]) }));
  return coordinatorStep(defineAgent({ name: 'lead', instructions: '', model: callingOnce(calls) }), delegateTo([writer]));
}
