import { once } from './once.ts';
import { agentTasksOf, callsOf, tasksOf } from './questions.ts';
import { type Ref, scriptOf } from './ref.ts';
import type { Scenario, Task } from './scenario.ts';

/** The name of the tool that delegates to an agent or composite. */
export function toolFor(delegate: string): string {
  return `ask_${delegate}`;
}

/** The name of a probe: the one that every agent has, or the private one of an agent. */
export function probeName(of?: string): string {
  return of === undefined ? 'probe' : `probe_of_${of}`;
}

/** Tells whether a name is that of a probe or of a delegation. */
export function isToolOfTheKit(name: string): boolean {
  return name.startsWith(probeName()) || name.startsWith(toolFor(''));
}

/** The names of a scenario's agents and composites. An agent is named by its tasks; each composite is one of its kind. */
export interface NodeNames {
  of(scenario: Scenario, ref: Ref): string;
  name(task: Task): string;
}

export const nodeNames = once((scenario: Scenario): NodeNames => {
  const composites = new Map<Task, string>();
  for (const { task } of tasksOf(scenario)) {
    if (task.kind !== 'agent' && !composites.has(task)) composites.set(task, `${task.kind}_${composites.size + 1}`);
  }
  const name = (task: Task): string => (task.kind === 'agent' ? task.agent : (composites.get(task) as string));
  return { name, of: (within, ref) => name(scriptOf(within, ref) as Task) };
});

/** The names of an agent's own tools. It has its private probe only where somebody calls it. */
export function ownToolsOf(scenario: Scenario, agent: string): readonly string[] {
  if (scenario.agents?.[agent]?.tools === 'none') return [];
  const isCalled = callsOf(scenario).some(({ call }) => call.kind === 'probe' && call.of === agent);
  return [probeName(), ...(isCalled ? [probeName(agent)] : [])];
}

/** The names of the agents and composites that any task of an agent delegates to. */
export function delegatesOf(scenario: Scenario, agent: string): readonly string[] {
  const names = nodeNames(scenario);
  const found = agentTasksOf(scenario).flatMap(({ ref, task }) =>
    task.agent === agent ? task.turns.flatMap((turn, t) => turn.flatMap((call, index) => (call.kind === 'probe' ? [] : [names.of(scenario, `${ref}/${t}.${index}`)]))) : [],
  );
  return [...new Set(found)];
}
