import fc from 'fast-check';
import { type Capabilities, type Capability, has } from '../../spec/model/capability.ts';
import { aborts, agentTasksOf, hasOwnLimits, tasksOf } from '../../spec/model/questions.ts';
import type { Scenario } from '../../spec/model/scenario.ts';
import { cancellationFamilies } from './families/cancellation.ts';
import { contextFamilies } from './families/context.ts';
import { conversationFamilies } from './families/conversation.ts';
import { executorFamilies } from './families/executor.ts';
import { failureFamilies } from './families/failure.ts';
import { forkFamilies } from './families/fork.ts';
import { hostFamilies } from './families/host.ts';
import { lineageFamilies } from './families/lineage.ts';
import { recursionFamilies } from './families/recursion.ts';
import { usageFamilies } from './families/usage.ts';
import type { Family } from './family.ts';

/** Each situation that requirements are about. */
const families: readonly Family[] = [
  ...hostFamilies,
  ...forkFamilies,
  ...recursionFamilies,
  ...usageFamilies,
  ...contextFamilies,
  ...executorFamilies,
  ...conversationFamilies,
  ...failureFamilies,
  ...lineageFamilies,
  ...cancellationFamilies,
];

/** What may be laid over any scenario, since a correct runtime does not show it, and how many of a hundred have it. */
const OVERLAYS: readonly { readonly percent: number; readonly needs?: Capability; readonly lay: (found: Scenario) => Partial<Scenario> }[] = [
  { percent: 20, needs: 'streaming', lay: ({ runs }) => ({ streamed: [...runs.keys()] }) },
  { percent: 10, needs: 'events', lay: () => ({ subscriber: 'throws' }) },
  { percent: 10, lay: () => ({ modelsWait: true }) },
];

/**
 * A round of scenarios that a runtime with these capabilities can enact. Every situation has its share in every round,
 * well mixed, so that even a few cases reach them all.
 */
export function rounds(capabilities: Capabilities): fc.Arbitrary<readonly Scenario[]> {
  const fitting = families.filter(({ needs = [] }) => needs.every((need) => has(capabilities, need)));
  const places = fitting.flatMap(({ share, arbitrary }) => Array.from({ length: share }, (_, index) => ({ place: (index + 0.5) / share, arbitrary })));
  return fc.tuple(...places.toSorted((a, b) => a.place - b.place).map(({ arbitrary }) => overlaid(arbitrary, capabilities)));
}

function overlaid(arbitrary: fc.Arbitrary<Scenario>, capabilities: Capabilities): fc.Arbitrary<Scenario> {
  const overlays = OVERLAYS.filter(({ needs }) => needs === undefined || has(capabilities, needs));
  const chances = fc.tuple(...overlays.map(() => fc.nat(99)));
  return fc
    .tuple(arbitrary, chances)
    .map(([found, drawn]) => ({ ...Object.assign({}, ...overlays.map(({ percent, lay }, index) => ((drawn[index] as number) < percent ? lay(found) : {}))), ...found }));
}

/** Tells whether a runtime with these capabilities can enact a scenario. */
export function fits(found: Scenario, capabilities: Capabilities): boolean {
  const settings = Object.values(found.agents ?? {});
  const composites = tasksOf(found).flatMap(({ task }) => (task.kind === 'agent' ? [] : [task]));
  const needed: Readonly<Partial<Record<Capability, boolean>>> = {
    limits: !!found.limits || hasOwnLimits(found) || agentTasksOf(found).some(({ task: { ending } }) => ending === 'forever'),
    composites: composites.length > 0,
    abort: aborts(found),
    turns: settings.some(({ turns }) => turns),
    timeouts: settings.some(({ timeout }) => timeout),
    structured: settings.some(({ output }) => output),
    runners: settings.some(({ runner, model }) => runner ?? model) || composites.some(({ runner }) => runner),
    streaming: !!found.streamed,
    events: !!found.subscriber,
  };
  return (Object.keys(needed) as Capability[]).every((capability) => !needed[capability] || has(capabilities, capability));
}
