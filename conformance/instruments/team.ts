import { z } from 'zod';
import type { AgentSpec, CompositeSpec, Probe, Team } from '../../spec/model/ports.ts';
import { instructionsOf, promptFlaw, promptFor, refIn, type Ref, scriptOf } from '../../spec/model/ref.ts';
import { callsOf, tasksOf } from '../../spec/model/questions.ts';
import type { AgentTask, CompositeTask, Scenario, Task } from '../../spec/model/scenario.ts';

/** The name of the tool that delegates to an agent or composite. */
export function toolFor(delegate: string): string {
  return `ask_${delegate}`;
}

/** The name of a probe: the one that every agent has, or the private one of an agent. */
export function probeName(of?: string): string {
  return of === undefined ? 'probe' : `probe_of_${of}`;
}

/** What a structured answer has to fit. */
const structuredAnswer = z.object({ answer: z.string() });

/** The names of a scenario's agents and composites. An agent is named by its tasks; each composite is one of its kind. */
export interface NodeNames {
  of(scenario: Scenario, ref: Ref): string;
  name(task: Task): string;
}

export function nodeNames(scenario: Scenario): NodeNames {
  const composites = new Map<Task, string>();
  for (const { task } of tasksOf(scenario)) {
    if (task.kind !== 'agent' && !composites.has(task)) composites.set(task, `${task.kind}_${composites.size + 1}`);
  }
  const name = (task: Task): string => (task.kind === 'agent' ? task.agent : (composites.get(task) as string));
  return { name, of: (within, ref) => name(scriptOf(within, ref) as Task) };
}

/** Describes the team that a scenario needs: every agent with all that any of its tasks delegates to. */
export function teamOf(scenario: Scenario, probe: (name: string, owner: string) => Probe): Pick<Team, 'root' | 'agents' | 'composites'> {
  const names = nodeNames(scenario);
  const delegates = new Map<string, Set<string>>();
  const composites = new Map<string, CompositeSpec>();
  for (const { ref, task } of tasksOf(scenario)) {
    if (task.kind === 'agent') collect(delegates, task, delegatesOf(scenario, names, ref, task));
    else composites.set(names.name(task), composite(names, task));
  }
  return {
    root: names.name(scenario.runs[0] as Task),
    agents: [...delegates].map(([name, to]) =>
      agent(
        name,
        [...to],
        toolNamesOf(scenario, name).map((tool) => probe(tool, name)),
        scenario,
      ),
    ),
    composites: [...composites.values()],
  };
}

function collect(delegates: Map<string, Set<string>>, { agent }: AgentTask, found: readonly string[]): void {
  const known = delegates.get(agent) ?? new Set();
  for (const name of found) known.add(name);
  delegates.set(agent, known);
}

function delegatesOf(scenario: Scenario, names: NodeNames, ref: Ref, task: AgentTask): readonly string[] {
  return task.turns.flatMap((turn, t) => turn.flatMap((call, index) => (call.kind === 'probe' ? [] : [names.of(scenario, `${ref}/${t}.${index}`)])));
}

/** An agent has its private probe only where somebody calls it. */
function toolNamesOf(scenario: Scenario, name: string): readonly string[] {
  if (scenario.agents?.[name]?.tools === 'none') return [];
  const isCalled = callsOf(scenario).some(({ call }) => call.kind === 'probe' && call.of === name);
  return [probeName(), ...(isCalled ? [probeName(name)] : [])];
}

function agent(name: string, delegates: readonly string[], tools: readonly Probe[], { agents }: Scenario): AgentSpec {
  const { limits, turns, timeout, output, runner, model } = agents?.[name] ?? {};
  return {
    name,
    instructions: instructionsOf(name),
    tools,
    delegates,
    limits,
    turns,
    timeout,
    output: output && structuredAnswer,
    runner,
    overridden: model && true,
  };
}

function composite(names: NodeNames, task: CompositeTask): CompositeSpec {
  const { runner } = task;
  const name = names.name(task);
  const [first] = task.parts as readonly [Task];
  const prompt = (input: string, index: number): string => {
    if (index === task.throws) throw new Error(promptFlaw(`${refIn(input)}/#${index}`));
    return promptFor(`${refIn(input)}/#${index}`);
  };
  switch (task.kind) {
    case 'sequence':
    case 'parallel':
      return { kind: task.kind, name, runner, parts: task.parts.map(names.name), prompt };
    case 'fanout':
      return { kind: 'fanout', name, runner, part: names.name(first), items: (input) => task.parts.map((_, index) => prompt(input, index)) };
    case 'loop':
      return { kind: 'loop', name, runner, part: names.name(first), times: task.times, prompt };
  }
}
