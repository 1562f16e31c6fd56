import type { fork } from '../../spec/fork.ts';
import type { Guard, MutableAdapter, Scratchpad, ToolCallSite } from '../../spec/model/parts.ts';
import type { Adapter, PadView, ProbeContext } from '../../spec/model/ports.ts';
import { slots } from '../instruments/probe.ts';
import { handing, type Mutant, type MutantsOf } from '../mutant.ts';
import { CompositePad, composingWith, type CompositeFlaws, copyingBranchSlots, crossingWith, SnapshotPad } from './scratchpads.ts';

type Id = (typeof fork)['requirements'][number]['id'];

/** A mutant that gives a delegated call the wrong scratchpad. */
function crosses(what: string, flaw: Parameters<typeof crossingWith>[1], alsoBreaks: Mutant['alsoBreaks'] = []): Mutant {
  return { what, alsoBreaks, of: (adapter) => crossingWith(adapter, flaw) };
}

/** A mutant whose composites fork or join wrongly. */
function composes(what: string, flaws: CompositeFlaws, alsoBreaks: Mutant['alsoBreaks'] = []): Mutant {
  return { what, alsoBreaks, of: (adapter) => composingWith(adapter, flaws) };
}

/** What an agent's earlier delegations left, to be dealt with when it makes calls in a later turn. */
function whenTheyAreOver(settle: (parent: Scratchpad, child: Scratchpad) => void, child: (pad: Scratchpad) => Scratchpad): Parameters<typeof crossingWith>[1] {
  return () => {
    const open = new WeakMap<Scratchpad, { readonly turn: number; readonly agent: string; readonly pad: Scratchpad }[]>();
    return (pad, { turn, agent, tool }) => {
      const calls = open.get(pad) ?? [];
      for (const call of calls.splice(0).filter((call) => call.agent !== agent || call.turn < turn || (calls.push(call), false))) settle(pad, call.pad);
      if (!tool.startsWith('ask_')) return pad;
      const fresh = child(pad);
      open.set(pad, [...calls, { turn, agent, pad: fresh }]);
      return fresh;
    };
  };
}

/** Forks once for all calls with the same key, instead of once for each call. */
function forkingOnceFor(key: (site: ToolCallSite) => string, reuse: (known: ToolCallSite, site: ToolCallSite) => boolean): Parameters<typeof crossingWith>[1] {
  return () => {
    const forks = new WeakMap<Scratchpad, Map<string, { site: ToolCallSite; readonly pad: Scratchpad }>>();
    return (pad, site) => {
      const known = forks.get(pad) ?? new Map();
      forks.set(pad, known);
      const found = known.get(key(site));
      if (found && reuse(found.site, site)) {
        found.site = site;
        return found.pad;
      }
      const fresh = pad.fork();
      known.set(key(site), { site, pad: fresh });
      return fresh;
    };
  };
}

const joinIn = (sorted: (branches: readonly CompositePad[]) => readonly CompositePad[]): CompositeFlaws => ({ join: (pad, branches) => pad.rightJoin(sorted(branches)) });

export const forkMutants: MutantsOf<Id> = {
  'fork.run-slots-flow-down': [
    crosses(
      'gives each delegated call a new scratchpad',
      ({ createScratchpad }) =>
        () =>
          createScratchpad(),
      ['fork.run-slots-flow-up', 'fork.run-slots-are-live'],
    ),
  ],
  'fork.run-slots-flow-up': [crosses('gives each delegated call a copy of the run-scoped state', () => (pad) => new SnapshotPad(pad), ['fork.run-slots-are-live'])],
  'fork.run-slots-are-live': [
    crosses(
      'copies run-scoped state for a call, and writes it back when the call is over',
      whenTheyAreOver(
        (_, child) => (child as SnapshotPad).settle(),
        (pad) => new SnapshotPad(pad),
      ),
    ),
  ],
  'fork.no-update-is-lost': [
    {
      what: 'reads a slot when a call arrives, and writes it when the call goes on',
      alsoBreaks: ['fork.run-slots-flow-down', 'fork.run-slots-flow-up', 'fork.run-slots-are-live'],
      of: (adapter) => handing(adapter, () => updatingWhatWas),
    },
    composes('also merges run-scoped state after a parallel composite', { join: (pad, branches) => (pad.rightJoin(branches), doubleRunSlots(pad)) }),
  ],
  'fork.branch-slots-start-fresh': [
    crosses("starts a delegated call from its caller's branch-scoped values", () => copyingBranchSlots),
    crosses("hands a delegated call its caller's own scratchpad", () => (pad) => pad, [
      'fork.parallel-calls-are-isolated',
      'fork.twice-in-one-step-means-two-memories',
      'fork.later-calls-start-fresh',
      'fork.nothing-merges-across-the-seam',
    ]),
  ],
  'fork.parallel-calls-are-isolated': [
    crosses(
      'forks once for all calls of a turn',
      forkingOnceFor(
        ({ agent, turn }) => `${agent} ${turn}`,
        (known, site) => known.tool !== site.tool,
      ),
      ['fork.twice-in-one-step-means-two-memories'],
    ),
  ],
  'fork.twice-in-one-step-means-two-memories': [
    crosses(
      'keeps the fork of a turn by the name of the tool',
      forkingOnceFor(
        ({ agent, turn, tool }) => `${agent} ${turn} ${tool}`,
        () => true,
      ),
    ),
  ],
  'fork.later-calls-start-fresh': [
    crosses(
      'keeps the fork of a sub-agent for its next call',
      forkingOnceFor(
        ({ agent, tool }) => `${agent} ${tool}`,
        (known, site) => known.turn !== site.turn,
      ),
    ),
  ],
  'fork.nothing-merges-across-the-seam': [
    crosses(
      'merges a delegated call into its caller when it is over',
      whenTheyAreOver(
        (parent, child) => parent.join([child]),
        (pad) => pad.fork(),
      ),
    ),
  ],
  'fork.composite-branches-are-isolated': [
    composes('starts the branches from the values around them', { fork: (pad) => startingFrom(pad) }),
    composes('shares one fork among all branches', sharedFork(), ['fork.merge-goes-by-index']),
  ],
  'fork.merge-goes-by-index': [
    composes(
      'merges branches in the order in which they finished',
      joinIn((branches) => branches.toSorted((a, b) => a.touchedAt - b.touchedAt)),
    ),
    composes(
      'merges branches from the last to the first',
      joinIn((branches) => branches.toReversed()),
    ),
  ],
  'fork.failed-branches-merge-too': [{ what: 'leaves out a branch that failed', of: skippingFailures }],
  'fork.unmerged-values-are-discarded': [
    composes('keeps what branches wrote to a slot that does not say how to merge', {
      join: (pad, branches) => {
        pad.rightJoin(branches);
        for (const branch of branches)
          for (const { slot, value } of branch.branch.values()) if (!slot.merge) pad.set(slot, [...(pad.get(slot) as unknown[]), ...(value as unknown[])]);
      },
    }),
  ],
  'fork.parent-value-comes-first': [
    composes('merges the branches into the initial value', { join: (pad, branches) => (forget(pad, branches), pad.rightJoin(branches)) }),
    composes("puts the enclosing branch's value behind the branches'", {
      join: (pad, branches) => {
        const before = new Map([...pad.branch].filter(([, { slot }]) => slot.merge));
        forget(pad, branches);
        pad.rightJoin(branches);
        for (const { slot, value } of before.values()) if (slot.merge && pad.get(slot) !== value) pad.set(slot, slot.merge(pad.get(slot), value));
      },
    }),
  ],
  'fork.stages-share-their-branch': [{ what: 'forks the scratchpad for each stage', of: (adapter) => handing(adapter, () => isolatingDrafts()) }],
};

/** Writes every run-scoped entry once more, as if each branch had its own. */
function doubleRunSlots(pad: CompositePad): void {
  for (const [key, value] of pad.run) pad.run.set(key, [...(value as unknown[]), ...(value as unknown[])]);
}

/** A branch that starts from what is around it. */
function startingFrom(around: CompositePad): CompositePad {
  const branch = around.rightFork();
  for (const [key, held] of around.branch) branch.branch.set(key, { ...held });
  return branch;
}

function sharedFork(): CompositeFlaws {
  const forks = new WeakMap<CompositePad, CompositePad>();
  return {
    fork: (pad) => {
      const known = forks.get(pad) ?? pad.rightFork();
      forks.set(pad, known);
      return known;
    },
    join: (pad, branches) => {
      forks.delete(pad);
      pad.rightJoin(branches.slice(0, 1));
    },
  };
}

/** Drops what the enclosing branch holds of every slot that is about to be merged. */
function forget(pad: CompositePad, branches: readonly CompositePad[]): void {
  for (const branch of branches) for (const [key, { slot }] of branch.branch) if (slot.merge) pad.branch.delete(key);
}

/** Joins only branches whose account was not closed as failed. */
function skippingFailures(adapter: MutableAdapter): Adapter {
  const pads = new WeakMap<Guard, Scratchpad>();
  const failed = new WeakSet<Scratchpad>();
  const watching = (guard: Guard): Guard => ({
    within: (activation, body) =>
      guard.within(activation, async (inner) => {
        const watched = watching(inner);
        const result = await body(watched);
        const pad = pads.get(watched);
        if (pad && typeof result === 'object' && result !== null && 'succeeded' in result && !result.succeeded) failed.add(pad);
        return result;
      }),
  });
  return adapter.withParts((parts) => ({
    createGuard: (limits) => watching(parts.createGuard(limits)),
    createScratchpad: () => new CompositePad(joinIn((branches) => branches.filter((branch) => !failed.has(branch)))),
    carry: (ambient, site) => {
      if (ambient.scratchpad) pads.set(ambient.guard, ambient.scratchpad);
      return parts.carry(ambient, site);
    },
  }));
}

/** Applies an update of run-scoped state to what it was when the call arrived. */
function updatingWhatWas({ pad, ...context }: ProbeContext): ProbeContext {
  if (!pad) return context;
  const was = pad.get(slots.log);
  const late: PadView = { get: (slot) => pad.get(slot), update: (slot, change) => pad.update(slot, (entries) => change(slot.key === 'log' ? was : entries)) };
  return { ...context, pad: late };
}

/** Keeps `draft` apart for each task. */
function isolatingDrafts(): Parameters<typeof handing>[1] extends (team: never) => infer F ? F : never {
  const drafts = new Map<string, readonly string[]>();
  return (context, { task }) => {
    const pad = context.pad;
    if (!pad) return context;
    const apart: PadView = {
      get: (slot) => (slot.key === 'draft' ? (drafts.get(task) ?? []) : pad.get(slot)),
      update: (slot, change) => (slot.key === 'draft' ? void drafts.set(task, change(drafts.get(task) ?? [])) : pad.update(slot, change)),
    };
    return { ...context, pad: apart };
  };
}
