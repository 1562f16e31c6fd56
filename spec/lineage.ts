import { callsTold, enclosingRun, eventsOf, type Interval, ownerOf, runsTold, runTold, type Told, upToNearestRun } from './model/events.ts';
import { agentOf } from './model/kinship.ts';
import { aborts, agentTasksOf, callsOf, type Delegation, delegationsOf, isLimited, runsSmoothly, settlementsOf, startsOf, tasksOf } from './model/questions.ts';
import { callTo, depthOf, isAbove, type Ref, runOf, scriptOf, SUBSCRIBER_FLAW } from './model/ref.ts';
import { chapter, every, type Judgement } from './model/requirement.ts';
import type { AgentTask, Scenario } from './model/scenario.ts';
import { seen, type Trace } from './model/trace.ts';

const anything = (): boolean => true;
/** Nobody fails who listens, so that whatever is not told is not told for another reason. */
const isHeard = ({ subscriber }: Scenario): boolean => subscriber === undefined;
const delegates = (scenario: Scenario): boolean => callsOf(scenario).some(({ call }) => call.kind !== 'probe');
const hasParts = (scenario: Scenario): boolean => tasksOf(scenario).some(({ task }) => task.kind !== 'agent');
const concurrent = (scenario: Scenario): boolean => scenario.runs.length > 1 && !scenario.inTurn;
const isTimed = ({ agents }: Scenario): boolean => Object.values(agents ?? {}).some(({ timeout }) => timeout !== undefined);

/** Where each run of the callers was settled. */
const settledAt = (trace: Trace): ReadonlyMap<number, number> => new Map(settlementsOf(trace).map(({ run, at }) => [run, at]));
const starts = (trace: Trace): readonly Told[] => runsTold(trace).map(({ start }) => start);
/** The starts of runs whose activation is known. */
const placedStarts = (trace: Trace): readonly (Told & { readonly of: Ref })[] => starts(trace).flatMap((start) => (start.of === undefined ? [] : [{ ...start, of: start.of }]));
const named = ({ type, id, of }: Told): string => `the ${type} of ${of ?? `run ${id}`}`;

export const lineage = chapter(
  'lineage',
  `Whoever watches a team sees events: a run starts and ends, a tool call starts and ends. They are of use if each can be
put in its place. So each says which run it is of, under which root, below which parent, and made by which tool call; and
for those who draw timelines, in which trace, as which span, under which other. Each activation of an agent is a run of
its own; a composite may be one too. The root is at depth 0, a delegation goes one deeper, and the parts of a composite
are as deep as the composite. A start is told before the model is asked, and an end, exactly one, before whoever waits
for the run has its result. Watching is not taking part: what a subscriber does changes nothing.`,
  [
    {
      id: 'lineage.every-run-is-told-to-start',
      level: 'MUST',
      text: 'Of each activation of an agent exactly one run MUST be told to start, before its model is asked for the first time.',
      why: 'The sub-agent that cost the most is not in the timeline, or is there twice.',
      source: 'seed 001, "child runs with their own events"; graph invariants 4 and 22',
      check: 'Is there a way to run an agent that goes past the place where starts are told: in a composite, behind a tool, in a stream?',
      needs: ['events'],
      when: isHeard,
      judge: (_, trace) => {
        const second = secondStart(trace);
        return second ?? every(firstAsks(trace), ({ of, at }) => !runTold(trace, of, at) && `the model of ${of} is asked, and no run of it was told to start`);
      },
    },
    {
      id: 'lineage.every-run-is-told-to-end-once',
      level: 'MUST',
      text: 'Of each run that was told to start exactly one end MUST be told, whichever way it ended: answered, failed, cancelled, or stopped by a limit.',
      why: 'Runs that failed stay open on the dashboard for ever, and those that were cancelled end twice.',
      source: 'seed 001, "usage, cost, failures" of child runs; graph invariant 22; in-process invariant 100',
      check: 'Is the end told where the result is returned, or wherever the run is left? Is it told again by whoever catches the error?',
      needs: ['events'],
      when: isHeard,
      judge: (scenario, trace) => {
        const unopened = eventsOf(trace).find(({ type, id }) => type === 'run-end' && !starts(trace).some((start) => start.id === id));
        if (unopened) return { broken: `run ${unopened.id} is told to end, and was not told to start`, at: unopened.at };
        return every(
          settledRuns(trace).map((run) => ({ run, at: (run.ends[1] ?? run.start).at })),
          ({ run }) => endedWrongly(scenario, trace, run),
        );
      },
    },
    {
      id: 'lineage.ends-say-how-it-ended',
      level: 'MUST',
      text: 'The end of a run MUST say how it ended: completed if its agent answered, failed if it did not, cancelled if the caller aborted it before.',
      why: 'Whoever counts failures counts none.',
      source: 'graph invariants 9 and 22, "completed | failed | cancelled"; field bugs 64 and 66',
      check: 'Does the status come from how the run ended, or from where in the code the end is told?',
      needs: ['events'],
      when: isHeard,
      judge: (scenario, trace) =>
        every(
          settledRuns(trace).flatMap(({ of, ends: [end] }) => (end && of !== undefined ? [{ end, of, at: end.at, right: endingOf(scenario, trace, of, end.at) }] : [])),
          ({ end, of, right }) =>
            right.length > 0 &&
            !right.some((status) => status === end.status) &&
            `the run of ${of} ended as ${right.join(' or ')}, and its end says ${end.status ?? 'nothing of it'}`,
        ),
    },
    {
      id: 'lineage.ids-are-never-reused',
      level: 'MUST',
      text: 'No two runs MUST have the same id, neither in one run of a caller nor in several.',
      why: 'Two calls of the same sub-agent are drawn as one, and the usage of one of them is lost.',
      source: 'graph invariants 1 and 16; in-process invariant 62',
      check: 'Is the id made anew for each run, or put together from a name, a depth or a counter that starts over?',
      needs: ['events'],
      when: (scenario) => tasksOf(scenario).length > 1,
      judge: (_, trace) => every(starts(trace), (start) => reused(trace, start)),
    },
    {
      id: 'lineage.root-is-the-callers-run',
      level: 'MUST',
      text: 'Every event MUST name as its root the run that the caller started, at any depth.',
      why: 'Everything that belongs to one request is found by its root id, or it is not found.',
      source: 'seed 001, "every steering event must include root run id, parent run id"; graph invariant 2',
      check: 'Is the root id handed down, or is it the id of whoever delegated?',
      needs: ['events'],
      when: anything,
      judge: (_, trace) => every(eventsOf(trace), (event) => wrongRoot(trace, event)),
    },
    {
      id: 'lineage.parent-is-the-nearest-run',
      level: 'MUST',
      text: 'The start of a run MUST name as its parent the nearest run above it, and that of a root none.',
      why: 'The tree is drawn flat, and nobody sees which sub-agent called the one that failed.',
      source: 'seed 001, "root run id, parent run id"; graph invariants 3 and 57',
      check: 'Is the parent taken from the run that delegates, or from the root, or from what was there when the tool was made?',
      needs: ['events'],
      when: (scenario) => delegates(scenario) || hasParts(scenario),
      judge: (_, trace) => every(placedStarts(trace), (start) => wrongParent(trace, start)),
    },
    {
      id: 'lineage.delegation-names-its-tool-call',
      level: 'MUST',
      text: 'The start of a run that was delegated to MUST name the tool call that made it, by the id that the model gave the call.',
      why: 'Of three sub-agents that were asked in one turn nobody knows which answered which call.',
      source: 'seed 000, "parentSpanId: ctx?.parentToolCallId"; in-process invariants 62, 73 and 98',
      check: 'Is the id of the call handed to the tool, and does each further delegation replace it by its own?',
      needs: ['events'],
      when: delegates,
      judge: (_, trace) =>
        every(
          placedStarts(trace).filter(({ of }) => callTo(of) !== undefined),
          ({ of, call }) => call !== callTo(of) && `the start of ${of} ${call === null ? 'does not say which tool call made it' : `says that ${call} made it`}`,
        ),
    },
    {
      id: 'lineage.trace-is-inherited',
      level: 'MUST',
      text: 'All events of one run of a caller MUST be in one trace, at any depth.',
      why: 'A trace that ends at the first delegation shows a coordinator that waits, and not for what.',
      source: 'seed 000, "traceId: ctx?.traceId"; in-process invariants 98 and 101',
      check: 'Does the tool that delegates start the sub-agent in the trace that it was called in?',
      needs: ['events'],
      when: anything,
      judge: (_, trace) => every(eventsOf(trace), (event) => strayTrace(trace, event)),
    },
    {
      id: 'lineage.traces-are-not-shared',
      level: 'SHOULD',
      text: 'Two runs of one team at the same time SHOULD NOT be in one trace.',
      why: "Two customers' requests are drawn as one.",
      source: 'in-process invariant 66, "events of concurrent runs"; field bug 16',
      check: 'Is the trace begun with the run, or with the team, the runner or the module?',
      needs: ['events'],
      when: concurrent,
      judge: (_, trace) =>
        every(
          placedStarts(trace).filter(({ of, trace: its }) => depthOf(of) === 0 && its !== null),
          ({ of, trace: its }) => {
            const other = placedStarts(trace).find((start) => start.trace === its && runOf(start.of) !== runOf(of));
            return other !== undefined && `${of} and ${other.of} are in one trace, and belong to different callers`;
          },
        ),
    },
    {
      id: 'lineage.spans-are-their-own',
      level: 'MUST',
      text: 'Every run and every tool call MUST have a span of its own, and the same one from start to end.',
      why: 'Bars of the timeline lie on top of each other, or never end.',
      source: 'in-process invariants 99, 100 and 104',
      check: 'Is the span made when the run or call starts, and kept until it ends?',
      needs: ['events'],
      when: anything,
      judge: (_, trace) =>
        every(
          [...runsTold(trace), ...callsTold(trace)].map((interval) => ({ ...interval, at: interval.start.at })),
          (interval) => wrongSpan(trace, interval),
        ),
    },
    {
      id: 'lineage.parent-span-is-open',
      level: 'MUST',
      text: 'The parent span of a run MUST be the span of the tool call that made it or of the nearest run above it; that of a tool call MUST be the span of its run; and a root has none that its caller did not give.',
      why: 'Spans without a parent are drawn as roots, beside the run that they are part of.',
      source: 'in-process invariant 99, "every parentSpanId in the log resolves"; in-process invariants 73, 98 and 104',
      check: 'Is the parent the span that was told when the tool call started, or an id that was made for the purpose?',
      needs: ['events'],
      when: anything,
      judge: (_, trace) =>
        every(
          eventsOf(trace).filter(({ type, of }) => of !== undefined && (type === 'run-start' || type === 'tool-start')),
          (event) => wrongParentSpan(trace, event, event.of as Ref),
        ),
    },
    {
      id: 'lineage.depth-is-on-every-event',
      level: 'MUST',
      text: 'Every event MUST say at which depth it is: the delegations between the root and its run, without the composites on the way.',
      why: 'Whoever limits, indents or bills by depth has to know what it counts.',
      source: 'seed 001, "depth is emitted on graph and registry events"; graph invariants 25 and 43',
      check: 'Is the root at 0? Do composites count? Do ends and tool calls say it, too?',
      needs: ['events'],
      when: anything,
      judge: (_, trace) =>
        every(eventsOf(trace), (event) => {
          if (event.depth === null) return `${named(event)} does not say how deep it is`;
          return event.of !== undefined && event.depth !== depthOf(event.of) && `${named(event)} says depth ${event.depth}, and is at depth ${depthOf(event.of)}`;
        }),
    },
    {
      id: 'lineage.children-lie-inside-their-parents',
      level: 'MUST',
      text: 'A run MUST be told to start after, and to end before, the run above it.',
      why: 'The coordinator is over while its sub-agents still report, so whoever waits for its end misses them.',
      source: 'graph invariant 23, "terminal emitted before drain"',
      check: 'Is the end told when the result is there, or when everything below has ended, too?',
      needs: ['events'],
      when: (scenario) => delegates(scenario) || hasParts(scenario),
      judge: (_, trace) =>
        every(
          runsTold(trace).flatMap(({ of, start, ends }) => (of === undefined ? [] : [start, ...ends].map((event) => ({ ...event, of })))),
          (event) => outside(event, event.of, enclosingRun(trace, event.of, Number.POSITIVE_INFINITY)),
        ),
    },
    {
      id: 'lineage.tool-calls-are-told-in-pairs',
      level: 'MUST',
      text: 'Of every tool call exactly one start and one end MUST be told, under the id that the model gave it, of the run whose model made it, and while that run goes on.',
      why: 'A tool that failed is drawn as one that never came back.',
      source: 'in-process invariants 99 and 100',
      check: 'Is the end told when the tool throws? Does it carry the id of the call?',
      needs: ['events'],
      when: (scenario) => isHeard(scenario) && callsOf(scenario).length > 0,
      judge: (_, trace) => {
        const nameless = eventsOf(trace).find(({ type, call }) => type.startsWith('tool') && call === null);
        if (nameless) return { broken: `the ${nameless.type} of a tool call of run ${nameless.id} does not say which call it is`, at: nameless.at };
        const silent = seen(trace, 'probe-called').find(({ call, at }) => !callsTold(trace).some(({ start }) => start.call === call && start.at < at));
        if (silent) return { broken: `the tool of ${silent.call} is called, and no start of that call was told`, at: silent.at };
        const settled = settledAt(trace);
        return every(
          callsTold(trace)
            .filter(({ start }) => settled.has(ownerOf(start)))
            .map((call) => ({ ...call, at: (call.ends[1] ?? call.start).at })),
          (call) => toldWrongly(trace, call),
        );
      },
    },
    {
      id: 'lineage.subscribers-cannot-harm',
      level: 'MUST',
      text: 'A subscriber that throws MUST change nothing: the run ends as it would, and the subscriber is told everything that comes after.',
      why: 'A mistake in the logging takes the product down.',
      source: 'in-process invariant 103, "emit never throws into the tool, even if the bus subscriber throws"',
      check: 'Is each subscriber called in a try of its own, and called again the next time?',
      needs: ['events'],
      when: (scenario) => scenario.subscriber === 'throws' && runsSmoothly(scenario) && !isLimited(scenario) && canAnswer(scenario) && isSoundlyBilled(scenario),
      judge: (scenario, trace) => {
        const unanswered = delegationsOf(scenario, trace).find((delegation) => isCutShort(trace, delegation));
        if (unanswered?.result) return { broken: `${unanswered.call} was not answered, although nothing but a subscriber failed`, at: unanswered.result.at };
        return every(settlementsOf(trace), ({ run, status, error }) => {
          if (status !== 'completed') return `run ${run} ended as ${status} (${error ?? 'without an error'}), although nothing but a subscriber failed`;
          const untold = firstAsks(trace).find(({ of }) => runOf(of) === run && !runTold(trace, of)?.ends.length);
          return untold !== undefined && `the subscriber of run ${run} threw, and was not told of the run of ${untold.of} any more`;
        });
      },
    },
    {
      id: 'lineage.concurrent-runs-are-told-apart',
      level: 'MUST',
      text: 'The subscriber of one run MUST NOT be told of what happens in another.',
      why: "One customer watches another's request.",
      source: 'in-process invariants 65, 66 and 67; field bug 16',
      check: 'Is the subscriber kept with the run, or on a runner, a tool or a team that runs share?',
      needs: ['events'],
      when: (scenario) => scenario.runs.length > 1,
      judge: (_, trace) =>
        every(placedEvents(trace), ({ type, of, toldTo }) => runOf(of) !== toldTo && `the subscriber of run ${toldTo} is told the ${type} of ${of}, which is of another run`),
    },
    {
      id: 'lineage.refused-delegations-have-no-run',
      level: 'SHOULD',
      text: 'Of a delegation that a limit refuses no run SHOULD be told to start.',
      why: 'The dashboard counts sub-agents that never existed.',
      source: 'graph invariants 44 and 46; field bug 18, "refused before a child exists"',
      check: 'Is the start told before the guard is asked?',
      needs: ['events', 'limits'],
      when: (scenario) => !!scenario.limits && delegates(scenario) && canAnswer(scenario),
      judge: (scenario, trace) =>
        every(
          delegationsOf(scenario, trace).flatMap(({ callee, refused, result }) => (refused && result && isRefusedByLimit(scenario, callee) ? [{ callee, at: result.at }] : [])),
          ({ callee, at }) => runTold(trace, callee, at) !== undefined && `a run of ${callee} was told to start, and the delegation was refused`,
        ),
    },
  ],
);

/** Where the model of each activation was first asked. */
const firstAsks = (trace: Trace): readonly { readonly of: Ref; readonly at: number }[] => [...startsOf(trace)].map(([of, at]) => ({ of, at }));

/** Every event whose activation is known. */
const placedEvents = (trace: Trace): readonly (Told & { readonly of: Ref })[] => eventsOf(trace).flatMap((event) => (event.of === undefined ? [] : [{ ...event, of: event.of }]));

/** Every run whose caller has been given what came of it. */
function settledRuns(trace: Trace): readonly Interval[] {
  const settled = settledAt(trace);
  return runsTold(trace).filter(({ start }) => settled.has(ownerOf(start)));
}

/** A start that was told after another of the same activation, although that one had not failed: a failure may be tried again. */
function secondStart(trace: Trace): Judgement | undefined {
  const ended = new Map<Ref, Interval>();
  for (const run of runsTold(trace)) {
    if (run.of === undefined) continue;
    const before = ended.get(run.of);
    if (before && !before.ends.some(({ status, at }) => status !== 'completed' && at < run.start.at)) return { broken: `${run.of} was told to start twice`, at: run.start.at };
    ended.set(run.of, run);
  }
  return undefined;
}

function endedWrongly(scenario: Scenario, trace: Trace, run: Interval): string | false {
  const { of, start, ends } = run;
  const [end] = ends;
  if (!end) return `${named(start)} was told, and its end never was`;
  if (ends.length > 1) return `the run of ${of ?? start.id} was told to end ${ends.length} times`;
  if (end.at > (settledAt(trace).get(ownerOf(start)) ?? end.at)) return `${named(end)} was told only after the caller had the result`;
  // What is cut short may leave a model call behind: whether that has to end, too, is not a question of events.
  const late = !aborts(scenario) && !isTimed(scenario) && of !== undefined && runTold(trace, of) === run && seen(trace, 'model-replied').findLast(({ task }) => task === of);
  return late !== false && late !== undefined && late.at > end.at && `${named(end)} was told before its model had replied for the last time`;
}

/** How the end of a run may say that it ended; nothing where that is open. A composite's is known where it is the root. */
function endingOf(scenario: Scenario, trace: Trace, of: Ref, at: number): readonly string[] {
  const settled = depthOf(of) === 0 && !of.includes('/') ? settlementsOf(trace).find(({ run }) => run === runOf(of)) : undefined;
  if (settled) return [settled.status];
  const script = scriptOf(scenario, of);
  if (script?.kind !== 'agent' || (startsOf(trace).get(of) ?? at) >= at) return [];
  const last = seen(trace, 'model-replied').findLast(({ task }) => task === of)?.reply;
  const aborted = seen(trace, 'run-aborted').some((abort) => abort.run === runOf(of) && abort.at < at);
  if (last === 'failure') return aborted ? ['failed', 'cancelled'] : ['failed'];
  if (last === 'answer') return aborted || isTimed(scenario) || isOdd(script) ? [] : ['completed'];
  if (aborted) return isTimed(scenario) ? ['cancelled', 'failed'] : ['cancelled'];
  const { turns, timeout } = scenario.agents?.[script.agent] ?? {};
  return turns !== undefined || timeout !== undefined ? ['failed'] : [];
}

/** Whether an odd answer is one, or one whose cost cannot be booked, is not a question of events. */
const isOdd = ({ answer, usage }: AgentTask): boolean => answer !== undefined || usage !== 'sound';

function reused(trace: Trace, start: Told): string | false {
  const other = starts(trace).find(({ id, at, of }) => id === start.id && at < start.at && (of !== start.of || of === undefined));
  return other !== undefined && `the runs of ${other.of ?? 'somebody'} and ${start.of ?? 'somebody'} have the same id`;
}

/** The root's own run; the root that the first event names where the root is a composite without one. */
function wrongRoot(trace: Trace, event: Told): string | false {
  const run = ownerOf(event);
  const right = runTold(trace, `r${run}`)?.start.id ?? eventsOf(trace).find((other) => ownerOf(other) === run)?.root ?? null;
  if (event.root === null) return `${named(event)} does not say which run is its root`;
  return event.root !== right && `${named(event)} names ${event.root} as its root, which is ${right}`;
}

function wrongParent(trace: Trace, { of, parent, at }: Told & { readonly of: Ref }): string | false {
  const above = enclosingRun(trace, of, at);
  const right = above?.start.id ?? null;
  if (parent === right) return false;
  if (parent === null) return `the start of ${of} does not say which run is its parent`;
  return above
    ? `the start of ${of} names ${parent} as its parent, which is ${right}, the run of ${above.of}`
    : `the start of ${of} names ${parent} as its parent, and there is no run above it`;
}

function strayTrace(trace: Trace, event: Told): string | false {
  if (event.trace === null) return `${named(event)} does not say in which trace it is`;
  const first = eventsOf(trace).find((other) => ownerOf(other) === ownerOf(event));
  return event.trace !== first?.trace && `${named(event)} is in another trace than the start of the run that it is part of`;
}

function wrongSpan(trace: Trace, { start, ends }: Interval): string | false {
  if (start.span === null) return `${named(start)} does not say which span it opens`;
  const other = eventsOf(trace).find(({ type, span, at }) => type.endsWith('start') && span === start.span && at < start.at);
  if (other) return `${named(start)} opens span ${start.span}, which ${named(other)} opened before`;
  const strange = ends.find(({ span }) => span !== start.span);
  return strange !== undefined && `${named(strange)} says span ${strange.span}, and its start said ${start.span}`;
}

function wrongParentSpan(trace: Trace, event: Told, of: Ref): string | false {
  const { parentSpan, span, at } = event;
  const right = parentSpans(trace, event, of);
  if (parentSpan === null) return right.length > 0 && `${named(event)} does not say below which span it is`;
  if (parentSpan === span) return `${named(event)} is its own parent`;
  const opened = eventsOf(trace).some((other) => other.type.endsWith('start') && other.span === parentSpan && other.at < at);
  if (!opened) return `${named(event)} is below span ${parentSpan}, which nobody opened`;
  return !right.includes(parentSpan) && `${named(event)} is below span ${parentSpan}, which is not what made it`;
}

/** The spans that one may be below: of a tool call its run's; of a run those on the way up to the nearest run. */
function parentSpans(trace: Trace, { type, at }: Told, of: Ref): readonly (string | null)[] {
  if (type === 'tool-start') return [runTold(trace, of, at)?.start.span ?? null];
  const above = upToNearestRun(trace, of, at);
  const calls = [of, ...above.slice(0, -1)].map(callTo);
  const made = callsTold(trace).filter(({ start, ends }) => calls.includes(start.call ?? undefined) && start.at < at && !ends.some((end) => end.at < at));
  const nearest = above.at(-1);
  const run = nearest === undefined ? undefined : runTold(trace, nearest, at);
  return [...made.map(({ start }) => start.span), ...(run ? [run.start.span] : [])];
}

function outside(event: Told, of: Ref, around: Interval | undefined): string | false {
  if (!around) return false;
  if (event.at < around.start.at) return `the ${event.type} of ${of} was told before the run of ${around.of} started`;
  return around.ends.some(({ at }) => at < event.at) && `the ${event.type} of ${of} was told after the run of ${around.of} had ended`;
}

function toldWrongly(trace: Trace, { of, start, ends }: Interval): string | false {
  if (ends.length === 0) return `the tool call ${start.call} was told to start, and never to end`;
  if (ends.length > 1) return `the tool call ${start.call} was told to end ${ends.length} times`;
  const run = of === undefined ? undefined : runTold(trace, of, start.at);
  if (!run) return `the tool call ${start.call} was told, and no run of the agent whose model made it`;
  const stranger = [start, ...ends].find(({ id }) => id !== run.start.id);
  if (stranger) return `the ${stranger.type} of ${start.call} says that it is of run ${stranger.id}, and it is of ${run.start.id}`;
  const acted = seen(trace, 'probe-acted').find(({ call }) => call === start.call);
  if (acted && ends.some(({ at }) => at < acted.at)) return `the tool call ${start.call} was told to end before the tool was done`;
  return run.ends.some(({ at }) => ends.some((end) => end.at > at)) && `the tool call ${start.call} was told to end after its run had ended`;
}

/** Nobody has to answer in a structure where there is none. */
const canAnswer = (scenario: Scenario): boolean => agentTasksOf(scenario).every(({ ref }) => scenario.agents?.[agentOf(scenario, ref) ?? '']?.output === undefined);
const isSoundlyBilled = (scenario: Scenario): boolean => agentTasksOf(scenario).every(({ task }) => task.usage === 'sound');

/** Tells whether a sub-agent was not let come to its answer, or the call failed with what the subscriber threw. */
function isCutShort(trace: Trace, { callee, result, answered }: Delegation): boolean {
  if (!result || answered) return false;
  return result.text.includes(SUBSCRIBER_FLAW) || !seen(trace, 'model-replied').some(({ task, reply }) => reply === 'answer' && (task === callee || isAbove(callee, task)));
}

const isRefusedByLimit = ({ limits }: Scenario, callee: Ref): boolean => depthOf(callee) > (limits?.depth ?? Number.POSITIVE_INFINITY);
