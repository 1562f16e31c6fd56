import { tasksOf } from '../spec/model/questions.ts';
import { ancestorsOf, callTo, type Ref, runOf, scriptOf } from '../spec/model/ref.ts';
import type { AgentTask, Scenario } from '../spec/model/scenario.ts';
import { smallerThan } from './smaller.ts';

/** A scenario from which nothing can be taken away without losing what was asked of it. */
export interface Shrunk {
  readonly scenario: Scenario;
  /** How many steps made it smaller. */
  readonly shrinks: number;
}

/** How many scenarios a shrink may try. */
const PATIENCE = 2_000;

/** Takes away whatever can be taken away, until nothing can: every part of the result is needed for `still`. */
export async function shrink(scenario: Scenario, still: (candidate: Scenario) => Promise<boolean>): Promise<Shrunk> {
  let smallest = scenario;
  let shrinks = 0;
  let tries = 0;
  search: for (;;) {
    for (const candidate of smallerThan(smallest)) {
      if (++tries > PATIENCE) return { scenario: smallest, shrinks };
      if (!isSound(candidate) || !(await still(candidate))) continue;
      smallest = candidate;
      shrinks++;
      continue search;
    }
    return { scenario: smallest, shrinks };
  }
}

/** A scenario makes sense: whoever recurses has an agent that far up, a task that never ends has a turn, and what hangs is ended by somebody. */
export function isSound(scenario: Scenario): boolean {
  return tasksOf(scenario).every(({ ref, task }) => task.kind !== 'agent' || (isAnchored(scenario, ref, task) && (!hangs(task) || isEnded(scenario, ref))));
}

function isAnchored(scenario: Scenario, ref: Ref, task: AgentTask): boolean {
  const stack = [...ancestorsOf(ref), ref].map((above) => scriptOf(scenario, above));
  const targets = task.turns.flat().flatMap((call) => (call.kind === 'recurse' ? [stack.at(-call.up)] : []));
  return targets.every((target) => target?.kind === 'agent') && (task.ending !== 'forever' || task.turns.length > 0);
}

function hangs({ ending, turns }: AgentTask): boolean {
  return ending === 'hang' || turns.flat().some((call) => call.kind === 'probe' && call.op.kind === 'hang');
}

/** The caller aborts in the end, or an agent on the way has a time limit, which counts when it is delegated to. */
function isEnded(scenario: Scenario, ref: Ref): boolean {
  const timed = [...ancestorsOf(ref), ref].some((place) => {
    const script = callTo(place) && scriptOf(scenario, place);
    return typeof script === 'object' && script.kind === 'agent' && scenario.agents?.[script.agent]?.timeout !== undefined;
  });
  return timed || (scenario.abortAfter !== undefined && runOf(ref) === 0);
}
