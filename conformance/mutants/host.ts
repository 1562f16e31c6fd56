import { types } from 'node:util';
import type { host } from '../../spec/host.ts';
import type { PadView, ProbeContext } from '../../spec/model/ports.ts';
import { handing, type Mutant, type MutantsOf, type ProbeSite, running } from '../mutant.ts';

type Id = (typeof host)['requirements'][number]['id'];

/** A mutant that changes what some probes are handed. */
function hands(what: string, where: (site: ProbeSite) => boolean, change: (context: ProbeContext) => ProbeContext, alsoBreaks: Mutant['alsoBreaks'] = []): Mutant {
  return { what, alsoBreaks, of: (adapter) => handing(adapter, () => (context, site) => (where(site) ? change(context) : context)) };
}

const nothing = (context: ProbeContext): ProbeContext => ({ ...context, host: undefined });
const atRoot = ({ depth }: ProbeSite): boolean => depth === 0;
const below = ({ depth }: ProbeSite): boolean => depth >= 1;
const farBelow = ({ depth }: ProbeSite): boolean => depth >= 2;
const anywhere = (): boolean => true;
/** What a flaw breaks too that shows in sub-agents. */
const BELOW = ['host.reaches-sub-agents', 'host.reaches-any-depth'] as const;
/** A flaw at every tool call, or in every sub-agent, is also one in composites. */
const IN_PARTS = 'context.parts-are-given-what-the-composite-was';
const NESTING = 'context.composites-and-delegation-nest';

/** A pad whose run-scoped slots are another's. */
function sharingRunSlots(pad: PadView, other: PadView): PadView {
  return {
    get: (slot) => (slot.scope === 'run' ? other : pad).get(slot),
    update: (slot, change) => (slot.scope === 'run' ? other : pad).update(slot, change),
  };
}

export const hostMutants: MutantsOf<Id> = {
  'host.same-value-at-every-call': [
    hands('copies the host value for each tool call', atRoot, (context) => ({ ...context, host: structuredCloneOrSame(context.host) }), ['host.is-opaque', IN_PARTS]),
    hands('hands the host value over in the first turn only', (site) => atRoot(site) && site.turn > 0, nothing, ['host.is-opaque', IN_PARTS]),
    hands('hands the host value to the first call of a turn only', (site) => atRoot(site) && site.index > 0, nothing, ['host.is-opaque', IN_PARTS]),
  ],
  'host.reaches-sub-agents': [
    hands('starts a sub-agent without the host value', below, nothing, ['host.reaches-any-depth', NESTING]),
    hands('wraps the host value once more for each delegation', below, (context) => ({ ...context, host: { context: context.host } }), [
      'host.reaches-any-depth',
      'host.none-is-invented',
      NESTING,
    ]),
  ],
  'host.reaches-any-depth': [
    hands('loses the host value on the second delegation', farBelow, nothing, [NESTING]),
    hands('rebuilds the host value on the second delegation', farBelow, (context) => ({ ...context, host: context.host === undefined ? undefined : { owner: 'rebuilt' } }), [
      NESTING,
    ]),
  ],
  'host.is-opaque': [
    hands('hands over host values only if they are objects', anywhere, (context) => (typeof context.host === 'object' ? context : nothing(context)), BELOW),
    hands('makes a fresh object of a frozen host value', anywhere, (context) => (isFrozen(context.host) ? { ...context, host: { ...(context.host as object) } } : context), BELOW),
    hands('lists the keys of the host value, for a log', anywhere, (context) => (typeof context.host === 'object' && context.host !== null && Object.keys(context.host), context)),
  ],
  'host.none-is-invented': [hands('hands over an empty object when there is no host value', anywhere, (context) => ({ ...context, host: context.host ?? {} }))],
  'host.scratchpad-reaches-sub-agents': [
    hands('starts a sub-agent without a scratchpad', below, (context) => ({ ...context, pad: undefined }), [NESTING]),
    hands('loses the scratchpad on the second delegation', farBelow, (context) => ({ ...context, pad: undefined }), [NESTING]),
  ],
  'host.deps-reach-sub-agents': [
    hands('starts a sub-agent without dependencies', below, (context) => ({ ...context, dep: undefined }), [NESTING]),
    hands("makes a sub-agent's dependencies anew", below, ({ dep, ...context }) => ({ ...context, dep: (key) => (dep?.(key) === undefined ? undefined : {}) }), [NESTING]),
  ],
  'host.missing-dependency-is-named': [
    hands('gives undefined for a dependency that is not bound', anywhere, ({ dep, ...context }) => ({ ...context, dep: (key) => (key === 'absent' ? undefined : dep?.(key)) })),
    hands('does not say which dependency is missing', anywhere, ({ dep, ...context }) => ({ ...context, dep: (key) => orThrow(() => dep?.(key), 'A dependency is missing.') })),
  ],
  'host.bound-undefined-is-bound': [
    hands('takes a dependency that is undefined for one that is not bound', anywhere, ({ dep, ...context }) => ({
      ...context,
      dep: (key) => dep?.(key) ?? fail(`${key} is not bound`),
    })),
  ],
  'host.run-wins-over-construction': [
    {
      what: 'prefers the host value that was there when the team was built',
      of: (adapter) =>
        handing(
          adapter,
          ({ built }) =>
            (context) =>
              built ? { ...context, host: built.host } : context,
        ),
    },
    {
      what: 'prefers the dependencies that were there when the team was built',
      of: (adapter) =>
        handing(
          adapter,
          ({ built }) =>
            (context, site) =>
              built && below(site) ? { ...context, dep: (key) => built.deps.get(key) ?? context.dep?.(key) } : context,
        ),
    },
  ],
  'host.concurrent-runs-never-mix': [
    { what: "keeps the host value on the team: the last run's wins", of: (adapter) => lastOneWins(adapter, (context, { host: last }) => ({ ...context, host: last })) },
    {
      what: "keeps the dependencies on the team: the last run's win",
      of: (adapter) => lastOneWins(adapter, (context, { deps }) => ({ ...context, dep: (key) => (deps.has(key) ? deps.get(key) : context.dep?.(key)) })),
    },
    {
      what: "keeps run-scoped state on the team: the first run's stays",
      of: (adapter) =>
        handing(adapter, () => {
          let first: PadView | undefined;
          return (context) => {
            first ??= context.pad;
            return context.pad && first ? { ...context, pad: sharingRunSlots(context.pad, first) } : context;
          };
        }),
    },
  ],
};

/** Keeps what the last run brought where every run finds it. */
function lastOneWins(
  adapter: Parameters<Mutant['of']>[0],
  change: (context: ProbeContext, last: { host: unknown; deps: ReadonlyMap<string, unknown> }) => ProbeContext,
): ReturnType<Mutant['of']> {
  let last: { host: unknown; deps: ReadonlyMap<string, unknown> } | undefined;
  const remembering = running(adapter, () => ({ before: (input) => (last = input) }));
  return handing(remembering, () => (context) => (last ? change(context, last) : context));
}

function structuredCloneOrSame(value: unknown): unknown {
  return typeof value === 'object' && value !== null && !types.isProxy(value) ? { ...value } : value;
}

function isFrozen(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !types.isProxy(value) && Object.isFrozen(value);
}

function orThrow<T>(attempt: () => T, message: string): T {
  try {
    return attempt();
  } catch {
    throw new Error(message);
  }
}

function fail(message: string): never {
  throw new Error(message);
}
