import type { lineage } from '../../spec/lineage.ts';
import type { MutableAdapter } from '../../spec/model/parts.ts';
import type { Adapter, RunInput, RuntimeEvent } from '../../spec/model/ports.ts';
import { calleeOf, promptFor } from '../../spec/model/ref.ts';
import { nameOf } from '../instruments/scripted-model.ts';
import { type Mutant, type MutantsOf, running } from '../mutant.ts';
import { CountingGuard, type Refusal } from './counting-guard.ts';

type Id = (typeof lineage)['requirements'][number]['id'];
/** Tells a subscriber, and whether it took it. */
type Tell = (event: RuntimeEvent) => boolean;
type Emit = (event: RuntimeEvent) => void;
/** Changes what a subscriber is told. Made anew for each run, so it may remember. */
type Retelling = (tell: Tell) => Emit;

/** A mutant that tells events differently. `flaw` is made anew for each team. */
function tells(what: string, flaw: () => Retelling, alsoBreaks: Mutant['alsoBreaks'] = []): Mutant {
  return { what, alsoBreaks, of: (adapter) => retelling(adapter, flaw) };
}

function retelling(adapter: Adapter, flaw: () => Retelling): Adapter {
  return running(adapter, () => {
    const retell = flaw();
    return { before: (input: RunInput) => ({ ...input, onEvent: retell((event) => isTaken(input, event)) }) };
  });
}

function isTaken(input: RunInput, event: RuntimeEvent): boolean {
  try {
    input.onEvent(event);
    return true;
  } catch {
    return false;
  }
}

/** A mutant that changes each event by itself; `undefined` is not told. */
function alters(what: string, change: (event: RuntimeEvent) => RuntimeEvent | undefined, alsoBreaks: Mutant['alsoBreaks'] = []): Mutant {
  const flaw = (): Retelling => (tell) => (event) => {
    const changed = change(event);
    if (changed) tell(changed);
  };
  return tells(what, flaw, alsoBreaks);
}

/** A mutant that gets wrong what is handed down from run to run, so that all events of a run have it. `below` makes it from what is above. */
function handsDown<K extends 'rootRunId' | 'traceId' | 'depth'>(
  what: string,
  key: K,
  below: (start: RuntimeEvent, above: RuntimeEvent[K]) => RuntimeEvent[K],
  alsoBreaks: Mutant['alsoBreaks'] = [],
): Mutant {
  const flaw = (): Retelling => (tell) => {
    const known = new Map<string, RuntimeEvent[K]>();
    return (event) => {
      if (event.kind === 'run-start') known.set(event.runId, below(event, known.get(event.parentRunId ?? '')));
      tell({ ...event, [key]: known.get(event.runId) });
    };
  };
  return tells(what, flaw, alsoBreaks);
}

const isStart = ({ kind }: RuntimeEvent): boolean => kind === 'run-start';
const isEnd = ({ kind }: RuntimeEvent): boolean => kind === 'run-end';
const isTool = ({ kind }: RuntimeEvent): boolean => kind === 'tool-start' || kind === 'tool-end';
const isDelegated = (event: RuntimeEvent): boolean => isStart(event) && event.parentToolCallId !== undefined;

export const lineageMutants: MutantsOf<Id> = {
  'lineage.every-run-is-told-to-start': [
    tells('tells of a start only when something else happens', () => tellingStartsLate),
    tells('tells of a delegated run when it is asked for, and again when it runs', () => (tell) => (event) => {
      if (isDelegated(event)) for (const again of briefRun(event)) tell(again);
      tell(event);
    }),
  ],
  'lineage.every-run-is-told-to-end-once': [
    alters('forgets the end of runs that fail', (event) => (isEnd(event) && event.status === 'failed' ? undefined : event)),
    tells('ends a run once where it fails and once where that is caught', () => (tell) => (event) => {
      tell(event);
      if (isEnd(event) && event.status === 'failed') tell(event);
    }),
    alters('forgets the end of runs that are cancelled', (event) => (isEnd(event) && event.status === 'cancelled' ? undefined : event)),
  ],
  'lineage.ends-say-how-it-ended': [
    alters('says of every run that it is completed', (event) => (isEnd(event) ? { ...event, status: 'completed' } : event)),
    alters('takes a run that is cancelled for one that fails', (event) => (isEnd(event) && event.status === 'cancelled' ? { ...event, status: 'failed' } : event)),
  ],
  'lineage.ids-are-never-reused': [
    tells('gives the id of a run that has ended to the next', () => recyclingIds),
    tells('numbers the runs of each caller from one', () => numberingRuns),
  ],
  'lineage.root-is-the-callers-run': [
    handsDown('takes whoever delegates for the root', 'rootRunId', ({ runId, parentRunId }) => parentRunId ?? runId),
    handsDown('makes each delegated run a root of its own', 'rootRunId', (start, above) => (isDelegated(start) ? start.runId : (above ?? start.rootRunId))),
  ],
  'lineage.parent-is-the-nearest-run': [
    alters("takes the root for everybody's parent", (event) => (isStart(event) && event.parentRunId !== undefined ? { ...event, parentRunId: event.rootRunId } : event)),
    alters('does not say who delegated', (event) => (isDelegated(event) ? { ...event, parentRunId: undefined } : event)),
  ],
  'lineage.delegation-names-its-tool-call': [
    tells('names the call that made whoever delegates', () => namingTheCallAbove),
    alters('does not say which call made a run below the first level', (event) =>
      isDelegated(event) && (event.depth ?? 0) > 1 ? { ...event, parentToolCallId: undefined } : event,
    ),
  ],
  'lineage.trace-is-inherited': [
    handsDown('begins a trace for each delegation', 'traceId', (start, above) => (isDelegated(start) ? `trace of ${start.runId}` : (above ?? start.traceId))),
    alters('says at the start only in which trace a run is', (event) => (isEnd(event) ? { ...event, traceId: undefined } : event)),
  ],
  'lineage.traces-are-not-shared': [alters('has one trace for all runs of a team', (event) => ({ ...event, traceId: 'the trace of the team' }))],
  'lineage.spans-are-their-own': [
    tells('has one span for a tool call and the run that it makes', () => sharingSpans),
    alters('makes a span for the end of a run', (event) => (isEnd(event) ? { ...event, spanId: `${event.spanId} again` } : event)),
  ],
  'lineage.parent-span-is-open': [
    alters('makes up the span that a delegated run is below', (event) => (isDelegated(event) ? { ...event, parentSpanId: `above ${event.spanId}` } : event)),
    alters('makes a delegated run its own parent', (event) => (isDelegated(event) ? { ...event, parentSpanId: event.spanId } : event)),
    tells("puts every run below the root's span", () => hangingOnTheRoot),
  ],
  'lineage.depth-is-on-every-event': [
    handsDown('counts composites as levels', 'depth', (_, above) => (above === undefined ? 0 : above + 1)),
    alters('does not say at an end how deep it is', (event) => (isEnd(event) ? { ...event, depth: undefined } : event)),
    alters('takes the root for the first level', (event) => ({ ...event, depth: (event.depth ?? 0) + 1 })),
  ],
  'lineage.children-lie-inside-their-parents': [tells('ends a run before those below it', () => endingFromTheTop)],
  'lineage.tool-calls-are-told-in-pairs': [
    alters('tells no end of a tool call that fails', (event) => (event.kind === 'tool-end' && event.status === 'failed' ? undefined : event)),
    alters('does not say at its end which call it is', (event) => (event.kind === 'tool-end' ? { ...event, toolCallId: undefined } : event)),
    alters("tells of every tool call as one of the root's", (event) => (isTool(event) ? { ...event, runId: event.rootRunId ?? event.runId } : event)),
  ],
  'lineage.subscribers-cannot-harm': [
    {
      what: 'fails a run whose subscriber failed',
      of: failingWithItsSubscriber,
      alsoBreaks: [
        'recursion.a-hit-harms-its-own-branch-only',
        'usage.bookkeeping-never-loses-the-answer',
        'conversation.a-run-ends-with-its-roots-answer',
        'conversation.a-run-can-follow-a-cancelled-one',
        'failure.outcome-is-how-it-ended',
        'failure.of-a-part-is-told',
        'failure.any-length-is-an-answer',
        'cancellation.is-no-failure',
        'cancellation.timeout-harms-nobody-else',
        'failure.throwing-prompt-fails-its-part',
      ],
    },
    tells('tells a subscriber that failed nothing any more', () => givingUp),
  ],
  'lineage.concurrent-runs-are-told-apart': [
    tells('tells the subscriber who came last', () => {
      let last: Tell;
      return (tell) => ((last = tell), (event) => last(event));
    }),
    tells('tells every subscriber of a team everything', () => {
      const all: Tell[] = [];
      return (tell) => (all.push(tell), (event) => void all.map((each) => each(event)));
    }),
  ],
  'lineage.refused-delegations-have-no-run': [{ what: 'starts and ends a run before it asks whether that is allowed', of: startingWhatIsRefused }],
};

/** A run that was over as soon as it began, in the place of another. */
function briefRun(start: RuntimeEvent): readonly RuntimeEvent[] {
  const { prompt: _, parentToolCallId: __, ...place } = start;
  const its = { runId: `${start.runId} before`, spanId: `${start.spanId} before` };
  return [
    { ...start, ...its },
    { ...place, ...its, kind: 'run-end', status: 'completed' },
  ];
}

function tellingStartsLate(tell: Tell): Emit {
  let held: RuntimeEvent | undefined;
  return (event) => {
    const late = held;
    held = isStart(event) ? event : undefined;
    if (late) tell(late);
    if (!held) tell(event);
  };
}

/** Replaces every run's id, wherever it stands. */
function withIds(event: RuntimeEvent, idOf: (runId: string) => string): RuntimeEvent {
  const { runId, rootRunId, parentRunId } = event;
  return { ...event, runId: idOf(runId), rootRunId: rootRunId && idOf(rootRunId), parentRunId: parentRunId && idOf(parentRunId) };
}

function recyclingIds(tell: Tell): Emit {
  const ids = new Map<string, string>();
  const free: string[] = [];
  return (event) => {
    if (isStart(event)) ids.set(event.runId, free.pop() ?? event.runId);
    tell(withIds(event, (runId) => ids.get(runId) ?? runId));
    if (isEnd(event)) free.push(ids.get(event.runId) ?? event.runId);
  };
}

function numberingRuns(tell: Tell): Emit {
  const ids = new Map<string, string>();
  return (event) => {
    if (isStart(event)) ids.set(event.runId, `run ${ids.size + 1}`);
    tell(withIds(event, (runId) => ids.get(runId) ?? runId));
  };
}

function namingTheCallAbove(tell: Tell): Emit {
  const calls = new Map<string, string | undefined>();
  return (event) => {
    if (isStart(event)) calls.set(event.runId, event.parentToolCallId ?? calls.get(event.parentRunId ?? ''));
    tell(isDelegated(event) ? { ...event, parentToolCallId: calls.get(event.parentRunId ?? '') ?? event.parentToolCallId } : event);
  };
}

/** A delegated run takes over the span of its call, and with it what that is below. */
function sharingSpans(tell: Tell): Emit {
  const calls = new Map<string, RuntimeEvent>();
  const spans = new Map<string, string>();
  const spanOf = (span: string | undefined): string | undefined => (span === undefined ? undefined : (spans.get(span) ?? span));
  return (event) => {
    if (event.kind === 'tool-start' && event.toolCallId) calls.set(event.toolCallId, event);
    const call = isDelegated(event) ? calls.get(event.parentToolCallId ?? '') : undefined;
    if (call?.spanId && event.spanId) spans.set(event.spanId, call.spanId);
    tell({ ...event, spanId: spanOf(event.spanId), parentSpanId: spanOf(call ? call.parentSpanId : event.parentSpanId) });
  };
}

function hangingOnTheRoot(tell: Tell): Emit {
  let root: string | undefined;
  return (event) => {
    root ??= event.spanId;
    tell(isStart(event) && event.parentRunId !== undefined ? { ...event, parentSpanId: root } : event);
  };
}

/** Keeps back each end until that of the run above has been told. */
function endingFromTheTop(tell: Tell): Emit {
  const held: RuntimeEvent[] = [];
  const end = (event: RuntimeEvent): void => {
    tell(event);
    for (const below of held.filter(({ parentRunId }) => parentRunId === event.runId)) end(below);
  };
  return (event) => {
    if (!isEnd(event)) tell(event);
    else if (event.parentRunId === undefined) end(event);
    else held.push(event);
  };
}

function givingUp(tell: Tell): Emit {
  let isThere = true;
  return (event) => {
    if (isThere) isThere = tell(event);
  };
}

function failingWithItsSubscriber(adapter: Adapter): Adapter {
  return {
    ...adapter,
    delegation: async (team, kit) => {
      const run = await adapter.delegation(team, kit);
      return async (input) => {
        let harmed = false;
        const outcome = await run({ ...input, onEvent: (event) => void (harmed ||= !isTaken(input, event)) });
        return harmed ? { ...outcome, status: 'failed', text: undefined, error: new Error('A subscriber failed.') } : outcome;
      };
    },
  };
}

function startingWhatIsRefused(adapter: MutableAdapter): Adapter {
  let refused = 0;
  const words = ({ kind, limit, depth, chain }: Refusal): string => {
    refused++;
    return `Refused: the ${kind} limit of ${limit} is reached at depth ${depth} (${chain.join(', ')}).`;
  };
  const guarded = adapter.withParts(() => ({ createGuard: (limits) => new CountingGuard({ words }, limits) }));
  return retelling(guarded, () => (tell) => (event) => {
    if (refused > 0 && event.kind === 'tool-end' && event.status === 'failed') {
      refused--;
      for (const told of refusedRun(event)) tell(told);
    }
    tell(event);
  });
}

/** The run that a tool call would have made. */
function refusedRun({ toolCallId = '', runId, rootRunId, traceId, spanId, depth = 0 }: RuntimeEvent): readonly RuntimeEvent[] {
  const place = { runId: `${runId} ${toolCallId}`, rootRunId, traceId, spanId: `${spanId} below`, depth: depth + 1 };
  const prompt = promptFor(calleeOf(nameOf(toolCallId)));
  return [
    { ...place, kind: 'run-start', parentRunId: runId, parentToolCallId: toolCallId, parentSpanId: spanId, prompt },
    { ...place, kind: 'run-end', status: 'failed' },
  ];
}
