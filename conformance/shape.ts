import { aborts, agentTasksOf, callsOf, isLimited, opsOf, recurses, tasksOf } from '../spec/model/questions.ts';
import { depthOf } from '../spec/model/ref.ts';
import type { Scenario } from '../spec/model/scenario.ts';

/** Says in a few words what kind of scenario it is: how it goes on, and what is special about it. Many scenarios have one shape. */
export function shapeOf(scenario: Scenario): string {
  const special = SPECIAL.find(([, fits]) => fits(scenario))?.[0];
  return [runsOf(scenario), wayOf(scenario), ...(special === undefined ? [] : [special])].filter((words) => words !== '').join(', ');
}

function runsOf({ runs, inTurn }: Scenario): string {
  if (runs.length === 1) return '';
  return inTurn ? 'runs in turn' : 'runs at once';
}

/** How work is handed on. */
function wayOf(scenario: Scenario): string {
  const kinds = new Set(tasksOf(scenario).map(({ task }) => task.kind));
  const under = scenario.runs.every(({ kind }) => kind === 'agent');
  if (recurses(scenario)) return 'delegation without end';
  if (kinds.size > 1 || !kinds.has('agent')) return under ? 'a composite under an agent' : 'a composite';
  const depth = Math.max(...agentTasksOf(scenario).map(({ ref }) => depthOf(ref)));
  if (depth === 0) return 'no delegation';
  const together = agentTasksOf(scenario).some(({ task }) => task.turns.some((turn) => turn.filter(({ kind }) => kind === 'delegate').length > 1));
  return `${together ? 'delegation side by side' : 'delegation in a row'}, ${depth === 1 ? 'once' : 'several times'} down`;
}

/** What is special, the most special first. */
const SPECIAL: readonly (readonly [words: string, fits: (scenario: Scenario) => boolean])[] = [
  ['aborted', aborts],
  ['with a time limit', ({ agents }) => Object.values(agents ?? {}).some(({ timeout }) => timeout !== undefined)],
  ['under limits', isLimited],
  ['with settings of an agent', ({ agents }) => agents !== undefined],
  ['with wrong arguments', (scenario) => callsOf(scenario).some(({ call }) => call.kind !== 'recurse' && call.malformed !== undefined)],
  ['with failures', (scenario) => agentTasksOf(scenario).some(({ task }) => task.ending === 'fail') || opsOf(scenario).some(({ op }) => op.kind === 'fail')],
  ['with unsound usage', (scenario) => agentTasksOf(scenario).some(({ task }) => task.usage !== 'sound')],
  ['built with values', ({ built }) => built],
];
