import { diverge, type Kinship, kinship } from './model/kinship.ts';
import { once } from './model/once.ts';
import { agentTasksOf, appendsTo, authorOf, opsOf, overlapped, type ProbeCall, probeCalls, type Read, readsOf, spanOf, tasksOf } from './model/questions.ts';
import { isAbove, parentOf, type Ref } from './model/ref.ts';
import { chapter, every } from './model/requirement.ts';
import type { Scenario, SlotName } from './model/scenario.ts';
import { seen, type Trace } from './model/trace.ts';

/** A read, an entry that had been written to the same slot before it, and how its author stands to the reader. */
interface Sight {
  readonly read: Read;
  readonly entry: ProbeCall;
  readonly at: number;
  readonly kin: Kinship;
  readonly shows: boolean;
}

/** Every sight of the given slots in which the author stands to the reader in one of the given ways. */
function sights(scenario: Scenario, trace: Trace, slots: readonly SlotName[], ...kin: readonly Kinship[]): readonly Sight[] {
  return sightsIn(trace)(scenario).filter((sight) => kin.includes(sight.kin) && slots.includes(sight.read.slot));
}

const sightsIn = once((trace: Trace) =>
  once((scenario: Scenario): readonly Sight[] =>
    readsOf(trace, ...SLOT_NAMES).flatMap((read) =>
      appendsTo(trace, read.slot)
        .filter((entry) => entry.at < read.at)
        .map((entry) => ({ read, entry, at: read.at, kin: kinship(scenario, entry.task, read.task), shows: read.entries.includes(entry.call) })),
    ),
  ),
);

const misses = ({ read, entry, shows }: Sight): string | false => !shows && `${read.call} read ${read.slot} and did not find ${entry.call}, which was written before`;
const leaks = ({ read, entry, shows }: Sight): string | false => shows && `${read.call} read ${read.slot} and found ${entry.call}, which is not for it to see`;

/** Tells whether a slot is written and read by two whose places in the scenario stand in one of the given ways. */
function meets(scenario: Scenario, slots: readonly SlotName[], ...kin: readonly Kinship[]): boolean {
  const found = meetings(scenario);
  return slots.some((slot) => kin.some((kind) => found.has(`${slot} ${kind}`)));
}

/** Every way in which a writer of a slot stands to a reader of it: `log above-seam`. */
const meetings = once((scenario: Scenario): ReadonlySet<string> => {
  const ops = opsOf(scenario);
  const found = new Set<string>();
  for (const { op: read, by: reader } of ops) {
    if (read.kind !== 'read') continue;
    for (const { op, by } of ops) if (op.kind === 'append' && op.slot === read.slot) found.add(`${op.slot} ${kinship(scenario, by, reader)}`);
  }
  return found;
});

const BRANCH_SLOTS = ['draft', 'notes'] as const;
const SLOT_NAMES = ['log', ...BRANCH_SLOTS] as const;

/** The parallel composites of a scenario. */
const parallels = (scenario: Scenario): readonly Ref[] => tasksOf(scenario).flatMap(({ ref, task }) => (task.kind === 'parallel' || task.kind === 'fanout' ? [ref] : []));

/** Every read of `notes` in the branch around a parallel composite, after it, with what its branches wrote. */
function readsAfterMerge(scenario: Scenario, trace: Trace): readonly (Read & { readonly merged: readonly ProbeCall[] })[] {
  const merged = Map.groupBy(sights(scenario, trace, ['notes'], 'merged-branch'), ({ read }) => read);
  return [...merged].map(([read, its]) => ({ ...read, merged: its.map(({ entry }) => entry) }));
}

export const fork = chapter(
  'fork',
  `State has two scopes. A run-scoped slot is one thing for the whole run: whoever writes it, all see it, at once. A
branch-scoped slot belongs to one branch of the work. Each delegated call is a branch of its own, since a model may make
several at the same time: it starts from the slot's initial value, nobody else sees it, and it is gone when the call is
over. Composites fork too, but their branches have an order, so there a slot may say how its values are merged: by index,
whatever finished first. In this kit a slot holds a list of entries, and an entry is the name of the call that wrote it,
so a read tells who has been heard.`,
  [
    {
      id: 'fork.run-slots-flow-down',
      level: 'MUST',
      text: "What was written to a run-scoped slot before a delegation MUST be seen by the sub-agent's tools.",
      why: 'A sub-agent that starts with an empty scratchpad does not know what was already found.',
      source: 'seed 000, "run-scoped slots → shared by reference through the fork"; in-process invariants 23, 35 and 39',
      check: "Does the delegated call get a fork of its caller's scratchpad, or a new one?",
      needs: ['scratchpad'],
      when: (scenario) => meets(scenario, ['log'], 'above-seam'),
      judge: (scenario, trace) =>
        every(
          sights(scenario, trace, ['log'], 'above-seam').filter((sight) => wasThere(trace, sight)),
          misses,
        ),
    },
    {
      id: 'fork.run-slots-flow-up',
      level: 'MUST',
      text: "What a sub-agent's tools write to a run-scoped slot MUST be seen by the agents above it.",
      why: 'Findings that never come back up make the whole delegation pointless.',
      source: 'seed 000, "the subagent reads/writes the same shared state"; in-process invariant 35',
      check: 'Is run-scoped state one table shared by reference, or a copy that is thrown away?',
      needs: ['scratchpad'],
      when: (scenario) => meets(scenario, ['log'], 'below-seam'),
      judge: (scenario, trace) =>
        every(
          sights(scenario, trace, ['log'], 'below-seam').filter((sight) => isOver(trace, sight)),
          misses,
        ),
    },
    {
      id: 'fork.run-slots-are-live',
      level: 'MUST',
      text: 'A write to a run-scoped slot MUST be seen at once by calls of the same run that go on at the same time.',
      why: 'State that is copied out and back shows each call an old picture, and the last to finish overwrites the others.',
      source: 'seed 000, "shared by reference through the fork"; in-process invariants 35, 38 and 40',
      check: 'Is run-scoped state copied when a call starts and written back when it ends?',
      needs: ['scratchpad', 'parallel'],
      when: (scenario) => meets(scenario, ['log'], 'parallel-call', 'twin-call', 'above-seam', 'below-seam'),
      judge: (scenario, trace) =>
        every(
          sights(scenario, trace, ['log'], 'parallel-call', 'twin-call', 'above-seam', 'below-seam').filter((sight) => isMeanwhile(trace, sight)),
          misses,
        ),
    },
    {
      id: 'fork.no-update-is-lost',
      level: 'MUST',
      text: 'Every update of a run-scoped slot MUST count exactly once, whoever made it and however the calls interleaved.',
      why: 'Two of three parallel findings are lost, or a merged branch counts twice.',
      source: 'in-process invariants 46, 47 and 58; field bug 10',
      check: 'Can two updates read the same old value? Does merging a branch also merge its run-scoped state?',
      needs: ['scratchpad'],
      when: (scenario) => opsOf(scenario).filter(({ op }) => op.kind === 'append' && op.slot === 'log').length > 1,
      judge: (_, trace) =>
        every(
          viewsOf(trace, 'log').filter(({ entries, before }) => entries.length > 1 || before.length > 0),
          lostOrDoubled,
        ),
    },
    {
      id: 'fork.branch-slots-start-fresh',
      level: 'MUST',
      text: "In a delegated call, a branch-scoped slot MUST start from its initial value, not from its caller's.",
      why: "A sub-agent that inherits its caller's working state takes half-done work for its own.",
      source: 'seed 000, "branch-scoped slots → fresh per subagent call"; in-process invariant 37',
      check: 'Does the fork copy the branch table, or hand over the same one?',
      needs: ['scratchpad'],
      when: (scenario) => meets(scenario, BRANCH_SLOTS, 'above-seam'),
      judge: (scenario, trace) => every(sights(scenario, trace, BRANCH_SLOTS, 'above-seam'), leaks),
    },
    {
      id: 'fork.parallel-calls-are-isolated',
      level: 'MUST',
      text: "Delegated calls of one turn MUST NOT see each other's branch-scoped values, however they interleave.",
      why: 'Parallel sub-agents overwrite each other, once in a hundred runs.',
      source: 'seed 000, "fork, don\'t alias"; in-process invariants 36 and 57',
      check: 'Is the scratchpad forked for each call, or once for a turn?',
      needs: ['scratchpad', 'parallel'],
      when: (scenario) => meets(scenario, BRANCH_SLOTS, 'parallel-call'),
      judge: (scenario, trace) =>
        every(
          sights(scenario, trace, BRANCH_SLOTS, 'parallel-call').filter((sight) => overlapped(trace, sight.entry.task, sight.read.task)),
          leaks,
        ),
    },
    {
      id: 'fork.twice-in-one-step-means-two-memories',
      level: 'MUST',
      text: 'The same sub-agent called twice in one turn MUST have a memory of its own in each call.',
      why: 'Both calls answer with what one of them found.',
      source: 'in-process invariant 62; field bugs 9, 12, 13',
      check: 'Is anything kept by the name of the sub-agent or of its tool, rather than by the call?',
      needs: ['scratchpad', 'parallel'],
      when: (scenario) => meets(scenario, BRANCH_SLOTS, 'twin-call'),
      judge: (scenario, trace) =>
        every(
          sights(scenario, trace, BRANCH_SLOTS, 'twin-call').filter((sight) => overlapped(trace, sight.entry.task, sight.read.task)),
          leaks,
        ),
    },
    {
      id: 'fork.later-calls-start-fresh',
      level: 'MUST',
      text: 'A delegated call MUST NOT see the branch-scoped values of one that was made in an earlier turn.',
      why: 'The second task is answered with the leavings of the first.',
      source: 'seed 000, "fresh per subagent call"; field bug 13',
      check: 'Is a fork made once and kept for the next call of the same sub-agent?',
      needs: ['scratchpad'],
      when: (scenario) => meets(scenario, BRANCH_SLOTS, 'earlier-call'),
      judge: (scenario, trace) => every(sights(scenario, trace, BRANCH_SLOTS, 'earlier-call'), leaks),
    },
    {
      id: 'fork.nothing-merges-across-the-seam',
      level: 'MUST',
      text: 'When a delegated call is over, its branch-scoped values MUST NOT be merged into its caller, even if the slot says how.',
      why: 'Calls of one turn have no order to merge in: what the caller ends up with would depend on who finished first.',
      source: 'seed 000, "Merge-back is off for v1"; in-process invariants 36, 42 and 51',
      check: "Is there a join after the sub-agent's run in the tool that delegates?",
      needs: ['scratchpad'],
      when: (scenario) => meets(scenario, BRANCH_SLOTS, 'below-seam'),
      judge: (scenario, trace) => every(sights(scenario, trace, BRANCH_SLOTS, 'below-seam'), leaks),
    },
    {
      id: 'fork.composite-branches-are-isolated',
      level: 'MUST',
      text: "Branches of a parallel composite MUST NOT see each other's branch-scoped values, nor start from those around them.",
      why: 'A branch that sees a sibling half-way gives another answer in every run.',
      source: 'seed 000, "branch-scope forked per Parallel/FanOut branch"; in-process invariants 37 and 43',
      check: 'Does each branch get a fork of its own?',
      needs: ['scratchpad', 'composites'],
      when: (scenario) => meets(scenario, BRANCH_SLOTS, 'other-branch', 'enclosing-branch'),
      judge: (scenario, trace) => every(sights(scenario, trace, BRANCH_SLOTS, 'other-branch', 'enclosing-branch'), leaks),
    },
    {
      id: 'fork.merge-goes-by-index',
      level: 'MUST',
      text: 'After a parallel composite, slots that say how MUST be merged in the order of the branches, whichever finished first.',
      why: 'A merge in order of completion gives a different prompt, and so a different answer, each time.',
      source: 'seed 000, "merged back deterministically"; in-process invariants 43, 45 and 48',
      check: 'Are the branches joined one by one as they settle, or all in order after the last?',
      needs: ['scratchpad', 'composites'],
      when: (scenario) => parallels(scenario).length > 0 && meets(scenario, ['notes'], 'merged-branch'),
      judge: (scenario, trace) =>
        every(
          readsAfterMerge(scenario, trace).filter(({ merged }) => merged.length > 1),
          outOfOrder,
        ),
    },
    {
      id: 'fork.failed-branches-merge-too',
      level: 'MUST',
      text: 'A branch that failed MUST be merged like the others.',
      why: 'What was found before the failure is lost, or shifts the others out of their places.',
      source: 'in-process invariants 49 and 50',
      check: 'Is the join skipped for a branch that failed or threw?',
      needs: ['scratchpad', 'composites'],
      when: (scenario) => failingBranches(scenario).length > 0 && meets(scenario, ['notes'], 'merged-branch'),
      judge: (scenario, trace) =>
        every(
          sights(scenario, trace, ['notes'], 'merged-branch').filter(({ entry }) => failingBranches(scenario).some((branch) => within(branch, entry.task))),
          misses,
        ),
    },
    {
      id: 'fork.unmerged-values-are-discarded',
      level: 'MUST',
      text: 'After a parallel composite, a branch-scoped slot that does not say how to merge MUST be as it was before.',
      why: "One branch's scratch work is taken for a result.",
      source: 'seed 000, "a branch with no merge discards its scratch"; in-process invariant 44',
      check: 'Is a value copied back when there is no merge function?',
      needs: ['scratchpad', 'composites'],
      when: (scenario) => meets(scenario, ['draft'], 'merged-branch'),
      judge: (scenario, trace) => every(sights(scenario, trace, ['draft'], 'merged-branch'), leaks),
    },
    {
      id: 'fork.parent-value-comes-first',
      level: 'MUST',
      text: 'A merge MUST start from what the enclosing branch had, and keep it.',
      why: 'What was known before the branches is overwritten by them.',
      source: 'in-process invariant 45',
      check: "Is the first argument of the merge the enclosing branch's value, or the slot's initial one?",
      needs: ['scratchpad', 'composites'],
      when: (scenario) => meets(scenario, ['notes'], 'merged-branch') && meets(scenario, ['notes'], 'same-branch'),
      judge: (scenario, trace) =>
        every(
          sights(scenario, trace, ['notes'], 'same-branch')
            .map((sight) => withWhatCameIn(scenario, trace, sight))
            .filter(({ cameIn }) => cameIn.length > 0),
          notFirst,
        ),
    },
    {
      id: 'fork.stages-share-their-branch',
      level: 'MUST',
      text: 'Stages of a sequence and iterations of a loop MUST share the branch-scoped values of the branch that they are in.',
      why: 'A second stage that starts from nothing cannot go on with what the first prepared.',
      source: 'in-process invariant 54',
      check: 'Does a sequence or a loop fork the scratchpad for each of its parts?',
      needs: ['scratchpad', 'composites'],
      when: (scenario) => tasksOf(scenario).some(({ task }) => task.kind === 'sequence' || task.kind === 'loop') && meets(scenario, ['draft'], 'same-branch'),
      judge: (scenario, trace) =>
        every(
          sights(scenario, trace, ['draft'], 'same-branch').filter(({ entry, read }) => entry.task !== read.task),
          misses,
        ),
    },
  ],
);

/** An entry was written before the delegation, below its author, that led to the reader. */
function wasThere(trace: Trace, { entry, read }: Sight): boolean {
  const [common, , [step]] = diverge(entry.task, read.task);
  const began = spanOf(trace, `${common}/${step}`)?.[0];
  return began !== undefined && entry.at < began;
}

/** An entry was written by a call that went on at the same time as the reader's. */
function isMeanwhile(trace: Trace, sight: Sight): boolean {
  const [author, reader] = [sight.entry.task, sight.read.task];
  if (isAbove(author, reader)) return !wasThere(trace, sight);
  return isAbove(reader, author) ? !isOver(trace, sight) : overlapped(trace, author, reader);
}

/** The delegated call in which an entry was written is over: its caller reads in a later turn. */
function isOver(trace: Trace, { entry, read }: Sight): boolean {
  return seen(trace, 'model-asked').some(
    (o) => o.at > entry.at && o.at < read.calledAt && o.task === read.task && o.results.some(({ call }) => within(call.replace(':', '/'), entry.task)),
  );
}

function within(place: Ref, ref: Ref): boolean {
  return ref === place || isAbove(place, ref);
}

/** What a task was shown of a slot, whenever it read or wrote it, and what it had been shown before. */
function viewsOf(trace: Trace, slot: SlotName): readonly (ProbeCall & { readonly entries: readonly string[]; readonly before: readonly string[] })[] {
  const known = new Map<Ref, readonly string[]>();
  return probeCalls(trace).flatMap((probe) => {
    if (!('slot' in probe.op) || probe.op.slot !== slot || probe.saw.kind !== 'entries') return [];
    const before = known.get(probe.task) ?? [];
    known.set(probe.task, probe.saw.entries);
    return [{ ...probe, entries: probe.saw.entries, before }];
  });
}

function lostOrDoubled({ call, entries, before }: { readonly call: string; readonly entries: readonly string[]; readonly before: readonly string[] }): string | false {
  const twice = entries.find((entry, index) => entries.indexOf(entry) !== index);
  if (twice !== undefined) return `${call} found ${twice} twice in log`;
  const lost = before.find((entry) => !entries.includes(entry));
  return lost !== undefined && `${call} no longer found ${lost} in log`;
}

/** The branches of parallel composites in which an agent fails. */
function failingBranches(scenario: Scenario): readonly Ref[] {
  return agentTasksOf(scenario).flatMap(({ ref, task }) => (task.ending === 'fail' && parallels(scenario).includes(parentOf(ref) ?? '') ? [ref] : []));
}

function outOfOrder({ call, entries, merged }: Read & { readonly merged: readonly ProbeCall[] }): string | false {
  const found = entries.filter((entry) => merged.some((append) => append.call === entry)).map(authorOf);
  const wrong = found.findIndex((author, index) => index > 0 && comesAfter(found[index - 1] as Ref, author));
  return wrong > 0 && `${call} read notes and found ${found[wrong - 1]} before ${found[wrong]}`;
}

/** Tells whether one branch stands behind another: at the first step where their paths part, it has the higher index. */
function comesAfter(a: Ref, b: Ref): boolean {
  const [stepsA, stepsB] = [a.split('/'), b.split('/')];
  const parting = stepsA.findIndex((step, index) => step !== stepsB[index]);
  return parting >= 0 && Number(stepsA[parting]?.slice(1)) > Number(stepsB[parting]?.slice(1));
}

/** Adds what branches wrote, and brought into the branch of entry and reader, between the two. */
function withWhatCameIn(scenario: Scenario, trace: Trace, sight: Sight): Sight & { readonly cameIn: readonly string[] } {
  const { entry, read } = sight;
  const between = appendsTo(trace, 'notes').filter((append) => append.at > entry.at && append.at < read.at);
  return {
    ...sight,
    cameIn: between.filter((append) => [read.task, entry.task].every((place) => kinship(scenario, append.task, place) === 'merged-branch')).map(({ call }) => call),
  };
}

function notFirst({ read: { call, entries }, entry, shows, cameIn }: Sight & { readonly cameIn: readonly string[] }): string | false {
  if (!shows) return `${call} read notes and did not find ${entry.call}, which was there before the branches`;
  const before = entries.slice(0, entries.indexOf(entry.call)).find((other) => cameIn.includes(other));
  return before !== undefined && `${call} read notes and found ${entry.call}, which was there before the branches, behind ${before}`;
}
