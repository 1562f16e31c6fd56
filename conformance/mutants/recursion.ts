import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { MutableAdapter } from '../../spec/model/parts.ts';
import type { Adapter } from '../../spec/model/ports.ts';
import { depthOf, refIn } from '../../spec/model/ref.ts';
import type { Limits } from '../../spec/model/scenario.ts';
import type { recursion } from '../../spec/recursion.ts';
import { asking, guardedBy, type Mutant, type MutantsOf, running } from '../mutant.ts';
import { CountingGuard, type GuardFlaws, noCounts } from './counting-guard.ts';

type Id = (typeof recursion)['requirements'][number]['id'];

/** A mutant whose guard has one flaw. */
function guards(what: string, flaws: GuardFlaws, alsoBreaks: Mutant['alsoBreaks'] = []): Mutant {
  return { what, alsoBreaks, of: (adapter) => guardedBy(adapter, (limits) => new CountingGuard(flaws, limits)) };
}

/** Moves one limit, where it is set. */
const moved =
  (kind: keyof Limits, by: number): NonNullable<GuardFlaws['limits']> =>
  (limits) =>
    limits[kind] === undefined ? orDefaults(limits) : { ...limits, [kind]: limits[kind] + by };
const orDefaults = (limits: Limits): Limits => (Object.keys(limits).length > 0 ? limits : { depth: 16 });

export const recursionMutants: MutantsOf<Id> = {
  'recursion.default-limit-exists': [guards('has no limit unless the caller sets one', { limits: (limits) => limits })],
  'recursion.depth-limit-is-exact': [
    guards('goes one delegation deeper than the limit', { limits: moved('depth', 1) }, [
      'recursion.guard-survives-hops',
      'recursion.limits-only-narrow',
      'recursion.error-tells-limit-depth-and-chain',
    ]),
    guards('counts the root as the first delegation', { limits: moved('depth', -1) }, [
      'recursion.frames-are-popped',
      'recursion.counts-are-kept-apart',
      'recursion.limits-only-narrow',
      'recursion.error-tells-limit-depth-and-chain',
    ]),
  ],
  'recursion.guard-survives-hops': [
    guards('starts counting anew when a chain comes back to an agent', { forgetsOnReturn: true }, [
      'recursion.default-limit-exists',
      'recursion.limits-only-narrow',
      'recursion.error-tells-limit-depth-and-chain',
    ]),
  ],
  'recursion.error-tells-limit-depth-and-chain': [
    guards('says only that the tool failed', { words: () => 'The tool failed.' }),
    guards('does not name the limit', { words: ({ depth, chain }) => `Too deep: ${chain.join(', ')} is at depth ${depth}.` }),
    guards('does not name the depth', { words: ({ limit, chain }) => `Over the limit of ${limit}: ${chain.join(', ')}.` }),
    guards('does not name the chain', { words: ({ limit, depth }) => `Over the limit of ${limit} at depth ${depth}.` }),
    guards('names only the last agent of the chain', { words: ({ limit, depth, chain }) => `Over the limit of ${limit} at depth ${depth}: ${chain.at(-1)}.` }),
  ],
  'recursion.refused-before-the-child-exists': [{ what: "asks the sub-agent's model first, and refuses then", alsoBreaks: ['recursion.limits-only-narrow'], of: refusingLate }],
  'recursion.a-hit-harms-its-own-branch-only': [{ what: 'ends the whole run when a delegation is refused', of: endingTheRun, alsoBreaks: ['lineage.ends-say-how-it-ended'] }],
  'recursion.frames-are-popped': [
    guards('keeps counting the depth of a call that failed', { leaves: 'failure' }),
    guards('keeps counting the depth of a call that succeeded', { leaves: 'success' }, [
      'recursion.counts-are-kept-apart',
      'recursion.limits-only-narrow',
      'failure.harms-only-its-own-call',
    ]),
    guards('counts the depth of calls that go on beside each other', { sharesDepth: true }, ['recursion.counts-are-kept-apart', 'recursion.limits-only-narrow']),
  ],
  'recursion.visits-are-counted-per-agent': [
    guards('counts the visits of all agents together', { visitor: () => 'anyone' }, ['recursion.counts-are-kept-apart']),
    guards('allows one visit more', { limits: moved('visits', 1) }, ['recursion.error-tells-limit-depth-and-chain']),
    guards('allows one visit less', { limits: moved('visits', -1) }, ['recursion.counts-are-kept-apart', 'recursion.error-tells-limit-depth-and-chain']),
  ],
  'recursion.steps-are-counted-over-the-tree': [
    guards('allows one step more', { limits: moved('steps', 1) }, ['recursion.error-tells-limit-depth-and-chain']),
    guards('allows one step less', { limits: moved('steps', -1) }, ['recursion.counts-are-kept-apart', 'recursion.error-tells-limit-depth-and-chain']),
    guards('counts steps and visits for each branch alone', { countsByBranch: true }, ['recursion.visits-are-counted-per-agent']),
  ],
  'recursion.counts-are-kept-apart': [
    guards('compares one number with every limit that is set', { oneNumber: true }, ['failure.harms-only-its-own-call']),
    { what: 'counts all runs of a team together', of: countingTogether },
  ],
  'recursion.limits-only-narrow': [
    guards("lets an agent's own limits replace those it inherits", { narrow: (inherited, own) => ({ ...inherited, ...own }) }),
    guards("ignores an agent's own limits", { narrow: (inherited) => inherited }),
    guards("lets an agent's own limits hold for its siblings", { narrowsEverybody: true }),
  ],
};

/** Keeps the counts on the team. */
function countingTogether(adapter: MutableAdapter): Adapter {
  let counts = noCounts();
  const guarded = guardedBy(adapter, (limits) => new CountingGuard({}, limits, counts));
  return running(guarded, () => {
    counts = noCounts();
    return {};
  });
}

/** Lets the limit be passed by one, and refuses from inside the child. */
function refusingLate(adapter: MutableAdapter): Adapter {
  let limit = Number.POSITIVE_INFINITY;
  const lax = guardedBy(adapter, (limits, parts) => {
    limit = limits?.depth ?? Number.POSITIVE_INFINITY;
    return parts.createGuard(limits?.depth === undefined ? limits : { ...limits, depth: limits.depth + 1 });
  });
  return asking(lax, () => async (ask, options) => {
    const result = await ask(options);
    if (depthOf(taskIn(options.prompt)) <= limit) return result;
    return { ...result, content: [{ type: 'text', text: `Refused: over the depth limit of ${limit}.` }], finishReason: { unified: 'stop', raw: undefined } };
  });
}

function taskIn(prompt: LanguageModelV4Prompt): string {
  const last = prompt.findLast(({ role }) => role === 'user');
  return refIn(JSON.stringify(last?.content ?? '')) ?? '';
}

/** Aborts the run as soon as its guard refuses something. */
function endingTheRun(adapter: MutableAdapter): Adapter {
  let controller = new AbortController();
  const guarded = guardedBy(
    adapter,
    (limits) => new CountingGuard({ words: (refusal) => (controller.abort(), `Refused: over the ${refusal.kind} limit of ${refusal.limit}.`) }, limits),
  );
  return running(guarded, () => ({
    before: (input) => {
      controller = new AbortController();
      return { ...input, signal: AbortSignal.any([input.signal, controller.signal]) };
    },
  }));
}
