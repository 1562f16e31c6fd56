import { z } from 'zod';
import type { AgentSpec, CompositeSpec, Probe, Team } from '../../spec/model/ports.ts';
import { agentTasksOf, tasksOf } from '../../spec/model/questions.ts';
import { instructionsOf, promptFlaw, promptFor, refIn } from '../../spec/model/ref.ts';
import type { CompositeTask, Scenario, Task } from '../../spec/model/scenario.ts';
import { delegatesOf, type NodeNames, nodeNames, ownToolsOf } from '../../spec/model/tools.ts';

/** What a structured answer has to fit. */
const structuredAnswer = z.object({ answer: z.string() });

/** Describes the team that a scenario needs: every agent with all that any of its tasks delegates to. */
export function teamOf(scenario: Scenario, probe: (name: string, owner: string) => Probe): Pick<Team, 'root' | 'agents' | 'composites'> {
  const names = nodeNames(scenario);
  const agents = new Set(agentTasksOf(scenario).map(({ task }) => task.agent));
  const composites = new Map(tasksOf(scenario).flatMap(({ task }) => (task.kind === 'agent' ? [] : [[names.name(task), composite(names, task)] as const])));
  return { root: names.name(scenario.runs[0] as Task), agents: [...agents].map((name) => agent(name, scenario, probe)), composites: [...composites.values()] };
}

function agent(name: string, scenario: Scenario, probe: (name: string, owner: string) => Probe): AgentSpec {
  const { limits, turns, timeout, output, runner, model } = scenario.agents?.[name] ?? {};
  return {
    name,
    instructions: instructionsOf(name),
    tools: ownToolsOf(scenario, name).map((tool) => probe(tool, name)),
    delegates: delegatesOf(scenario, name),
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
