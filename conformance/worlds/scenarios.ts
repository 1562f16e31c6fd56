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
import { recursionFamilies } from './families/recursion.ts';
import { usageFamilies } from './families/usage.ts';
import type { Family } from './family.ts';

/** Each situation that requirements are about, by the chapter that they are in. */
const FAMILIES: Readonly<Record<string, readonly Family[]>> = {
  host: hostFamilies,
  fork: forkFamilies,
  recursion: recursionFamilies,
  usage: usageFamilies,
  context: contextFamilies,
  executor: executorFamilies,
  conversation: conversationFamilies,
  failure: failureFamilies,
  cancellation: cancellationFamilies,
};

/** What may be laid over any scenario, since a correct runtime does not show it, and how many of a hundred have it. */
const OVERLAYS: readonly { readonly percent: number; readonly needs?: Capability; readonly lay: (found: Scenario) => Partial<Scenario> }[] = [
  { percent: 20, needs: 'streaming', lay: ({ runs }) => ({ streamed: [...runs.keys()] }) },
  { percent: 10, needs: 'events', lay: () => ({ subscriber: 'throws' }) },
  { percent: 10, lay: () => ({ modelsWait: true }) },
];

/**
 * Deals scenarios that a runtime with these capabilities can enact, in so many rounds. Every situation has its share in
 * every round, well mixed, so that even a few cases reach them all. Each is drawn from a stream of its own: a situation
 * that is new does not change the others.
 */
export function deal(capabilities: Capabilities, seed: number, rounds: number): readonly (readonly Scenario[])[] {
  const dealt = Object.entries(FAMILIES).flatMap(([chapter, families]) =>
    families.flatMap(({ share, arbitrary, needs = [] }, index) => {
      if (!needs.every((need) => has(capabilities, need))) return [];
      const drawn = fc.sample(overlaid(arbitrary, capabilities), { seed: streamOf(seed, `${chapter} ${index}`), numRuns: share * rounds });
      return drawn.map((scenario, at) => ({ scenario, round: Math.floor(at / share), place: ((at % share) + 0.5) / share }));
    }),
  );
  const byRound = Map.groupBy(dealt, ({ round }) => round);
  return Array.from({ length: rounds }, (_, round) => (byRound.get(round) ?? []).toSorted((a, b) => a.place - b.place).map(({ scenario }) => scenario));
}

/** The seed of one stream. */
function streamOf(seed: number, name: string): number {
  let hash = seed | 0;
  for (const char of name) hash = (Math.imul(hash, 31) + char.charCodeAt(0)) | 0;
  return hash;
}

function overlaid(arbitrary: fc.Arbitrary<Scenario>, capabilities: Capabilities): fc.Arbitrary<Scenario> {
  const overlays = OVERLAYS.filter(({ needs }) => needs === undefined || has(capabilities, needs));
  const chances = fc.tuple(...overlays.map(() => fc.noBias(fc.nat(99))));
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
