import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { coordinatorStep, createRunner, defineAgent, delegateTo } from '../reference/index.ts';
import type { Measured } from './measured.ts';
import { callingOnce } from './scripted.ts';
import { times } from './side-by-side.ts';

/** Enough runs that what each leaves behind would show. */
const RUNS = 20_000;

/** What a run leaves in memory when it is over. */
export async function measureMemory(): Promise<readonly Measured[]> {
  const writer = defineAgent({ name: 'writer', instructions: '', model: callingOnce([]) });
  const lead = coordinatorStep(defineAgent({ name: 'lead', instructions: '', model: callingOnce([{ tool: 'writer', task: 'Write.' }]) }), delegateTo([writer]));
  const runner = createRunner();
  const run = (): Promise<unknown> => lead.run('Go.', { runner });
  await times(RUNS, run)();
  const before = heapInUse();
  await times(RUNS, run)();
  return [{ name: 'kept in memory per finished run', value: Math.max(0, heapInUse() - before) / RUNS, bar: 16, unit: 'bytes' }];
}

function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
