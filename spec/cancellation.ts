import { abortsOf, isEndless, isUnderWay, type Met, metBy, stoppedByTime, timedAround, type Work, workOf } from './model/cancellations.ts';
import { endingsOf, saysNothing, toldOf } from './model/failures.ts';
import { aborts, agentTasksOf, callsOf, isLimited, opsOf, settlementsOf, startsOf, tasksOf } from './model/questions.ts';
import { type CallRef, callTo, depthOf, isAbove, isAnswerOf, type Ref, runOf } from './model/ref.ts';
import { chapter, every } from './model/requirement.ts';
import type { Scenario } from './model/scenario.ts';
import { seen, type Trace } from './model/trace.ts';

/** Some sub-agent has a time limit. */
const isTimed = ({ agents }: Scenario): boolean => Object.values(agents ?? {}).some(({ timeout }) => timeout !== undefined);
/** The caller of a run aborts it, and nothing else stops anything. */
const isAborted = (scenario: Scenario): boolean => aborts(scenario) && !isTimed(scenario);
const delegates = (scenario: Scenario): boolean => tasksOf(scenario).some(({ ref }) => depthOf(ref) > 0);
/** A tool that is under way in a part of a composite is for the chapter on context. */
const isInPart = ({ of, task }: Work): boolean => of === 'tool' && task.includes('#');
const hasComposites = (scenario: Scenario): boolean => tasksOf(scenario).some(({ task }) => task.kind !== 'agent');
const hasTools = (scenario: Scenario): boolean => opsOf(scenario).length > 0;

/** Something that looks like an abort fails, and nobody aborts. */
const seemsAborted = (scenario: Scenario): boolean =>
  !aborts(scenario) &&
  (agentTasksOf(scenario).some(({ task }) => task.ending === 'fail' && task.failure === 'abort-shaped') ||
    opsOf(scenario).some(({ op }) => op.kind === 'fail' && op.how === 'abort-shaped'));

const met = (scenario: Scenario, trace: Trace, fits: (met: Met) => boolean): readonly Met[] => metBy(scenario, trace).filter(fits);

/** Tells that work went on to its end, or never ended, although its run was aborted. What is left behind by a run that ends is another matter. */
function unstopped({ work, abort }: Met): string | false {
  if (work.end === undefined) return abort.settled === undefined && `${work.name} is not stopped, and never ends`;
  const isLeft = abort.settled !== undefined && abort.settled.at < work.end.at;
  return !work.end.stopped && !isLeft && `${work.name} is not stopped, and goes on to its end`;
}

export const cancellation = chapter(
  'cancellation',
  `A caller who has seen enough aborts the run. All that is done in its name has to hear of it: each call of a model, each
tool, however deep; and nothing new may begin. The run ends as cancelled, for the caller's own reason, once everything
that it started has ended. Whatever was not the caller's is left alone: another run, or a provider's error that only looks
like an abort.`,
  [
    {
      id: 'cancellation.stops-model-calls',
      level: 'MUST',
      text: "When the caller aborts a run, the calls of its agent's model, or of the models of a composite's parts, that are under way MUST be stopped by their signal.",
      why: 'The caller waits for an answer that nobody wants, and pays for it.',
      source: 'in-process invariant 121, "signal not forwarded (real bug #504)"; field bug 61',
      check: "Is the run's signal among the options of every model call?",
      needs: ['abort'],
      when: isAborted,
      judge: (scenario, trace) =>
        every(
          met(scenario, trace, ({ work }) => work.of === 'model' && depthOf(work.task) === 0),
          unstopped,
        ),
    },
    {
      id: 'cancellation.stops-tools',
      level: 'MUST',
      text: 'When the caller aborts a run, the tools of its agent that are under way MUST be stopped by the signal that they were handed.',
      why: 'A tool that polls a build for an hour goes on polling, since nobody told it to stop.',
      source: 'in-process invariant 125, "abort reaches …"; field bug 62',
      check: "Is the run's signal handed to every tool call?",
      needs: ['abort'],
      when: (scenario) => isAborted(scenario) && hasTools(scenario),
      judge: (scenario, trace) =>
        every(
          met(scenario, trace, ({ work }) => work.of === 'tool' && depthOf(work.task) === 0 && !isInPart(work)),
          unstopped,
        ),
    },
    {
      id: 'cancellation.reaches-sub-agents',
      level: 'MUST',
      text: 'An abort MUST stop the model calls and the tools of sub-agents that are under way, at any depth.',
      why: 'The user sees the run stop; a grandchild goes on to write files.',
      source: 'in-process invariant 125, "abort reaches delegated sub-runs"; graph invariant 38; field bugs 59, 61',
      check: "Does the tool that delegates pass the signal of its call to the sub-agent's run?",
      needs: ['abort'],
      when: (scenario) => isAborted(scenario) && delegates(scenario),
      judge: (scenario, trace) =>
        every(
          met(scenario, trace, ({ work }) => depthOf(work.task) > 0 && !isInPart(work)),
          unstopped,
        ),
    },
    {
      id: 'cancellation.nothing-new-starts',
      level: 'MUST',
      text: 'After an abort, no model of the run MUST be asked and no tool called; also when the run was aborted before it began.',
      why: 'Each turn that begins after the abort is paid for, and each tool may do what cannot be undone.',
      source: 'in-process invariant 125, "no new branch starts after abort"; in-process notes A13, "only at the top of an iteration (not between tools)"',
      check: 'Is the signal looked at before each turn, each tool call and each part, and before the first?',
      needs: ['abort'],
      when: isAborted,
      judge: (_, trace) => {
        const gone = new Map(seen(trace, 'run-aborted').map(({ run, at }) => [run, at]));
        const late = workOf(trace).find(({ task, at }) => at > (gone.get(runOf(task)) ?? Number.POSITIVE_INFINITY));
        if (late) return { broken: `${late.name} begins after the run was aborted`, at: late.at };
        return abortsOf(trace).length > 0 ? 'kept' : 'unexercised';
      },
    },
    {
      id: 'cancellation.is-no-success',
      level: 'MUST',
      text: 'A run that was aborted before it had its answer MUST NOT end as completed.',
      why: 'What there is at that moment is half of a report, and nothing says so.',
      source: 'in-process invariant 124, "a cancelled leaf is not reported as succeeded"; field bug 62',
      check: 'Is the error of an aborted tool told to the model like any other? Is the reason why the loop ended looked at?',
      needs: ['abort'],
      when: isAborted,
      judge: (_, trace) =>
        every(
          abortsOf(trace).flatMap(({ run, at, settled }) => (settled && !answeredFrom(trace, run, at) ? [settled] : [])),
          ({ run, status }) => status === 'completed' && `run ${run} is said to be completed, and it was aborted before it had its answer`,
        ),
    },
    {
      id: 'cancellation.is-no-failure',
      level: 'MUST',
      text: 'A run that was aborted MUST NOT end as failed.',
      why: 'What was cancelled on purpose is tried again, or wakes somebody up.',
      source: 'in-process invariant 121, "run resolves cancelled, no error event"; in-process notes A13',
      check: 'Is whatever is thrown after the abort recognised as its consequence?',
      needs: ['abort'],
      when: isAborted,
      judge: (_, trace) =>
        every(
          abortsOf(trace).flatMap(({ run, at, settled }) => (settled && !answeredFrom(trace, run, at) ? [settled] : [])),
          ({ run, status, error }) => status === 'failed' && `run ${run} is said to have failed, with ${JSON.stringify(error)}, and its caller had aborted it`,
        ),
    },
    {
      id: 'cancellation.keeps-its-cause',
      level: 'SHOULD',
      text: 'The error of a cancelled run SHOULD be, or be caused by, the very reason that its caller aborted with.',
      why: 'A caller with a deadline, a budget and a stop button tells them apart by the reason that it gave.',
      source: 'in-process invariant 122, "rejects with the dedicated error"; field bug 66, "every outcome names …"',
      check: "Is the signal's reason kept as the cause of the error, also through sub-agents?",
      needs: ['abort'],
      when: isAborted,
      judge: (_, trace) =>
        every(
          abortsOf(trace).flatMap(({ settled }) => (settled?.status === 'cancelled' ? [settled] : [])),
          ({ run, error, keepsReason }) => !keepsReason && `run ${run} was cancelled with ${JSON.stringify(error)}, which is not caused by the reason of its caller`,
        ),
    },
    {
      id: 'cancellation.nothing-outlives-its-run',
      level: 'MUST',
      text: 'A run MUST NOT end while a model call or a tool that it started is under way.',
      why: 'The caller closes the connection that a tool still writes to; what it spends from then on is in no bill.',
      source: 'field bug 59, "abort reaches all live descendants before the parent settles"; graph invariant 12',
      check: 'Is there a race between the work and the signal, or between calls, whose losers nobody waits for?',
      needs: [],
      when: (scenario) => callsOf(scenario).length > 0 || hasComposites(scenario),
      judge: (_, trace) =>
        every(
          settlementsOf(trace).filter(({ run }) => startsOf(trace).has(`r${run}`) || workOf(trace).some(({ task }) => runOf(task) === run)),
          ({ run, at }) => {
            const left = workOf(trace).find((work) => runOf(work.task) === run && isUnderWay(work, at));
            return left !== undefined && `run ${run} has ended, and ${left.name} has not`;
          },
        ),
    },
    {
      id: 'cancellation.abort-shaped-error-is-an-error',
      level: 'MUST',
      text: "An error that looks like an abort MUST be a failure like any other, unless the run's own signal is aborted.",
      why: 'A provider whose connection broke throws an AbortError: the run is reported as cancelled by a caller who did nothing.',
      source: 'in-process invariant 123 and notes A13, "counts as cancel only if OUR signal fired"',
      check: "Is a cancellation recognised by the error's name, or by the signal?",
      needs: [],
      when: seemsAborted,
      judge: (_, trace) =>
        every(
          settlementsOf(trace).filter(({ run }) => seenToFail(trace, run)),
          ({ run, status }) => status === 'cancelled' && `run ${run} is said to be cancelled, and nobody aborted it`,
        ),
    },
    {
      id: 'cancellation.other-runs-go-on',
      level: 'MUST',
      text: 'The abort of one run MUST NOT stop, or change the end of, another run of the same team.',
      why: 'One user presses stop, and the requests of all the others are gone.',
      source: 'in-process invariants 33 and 72; graph invariant 38, "same token shared"',
      check: 'Is a controller kept on anything that runs share?',
      needs: ['abort'],
      when: (scenario) => isAborted(scenario) && scenario.runs.length > 1,
      judge: (_, trace) => {
        const gone = new Set(seen(trace, 'run-aborted').map(({ run }) => run));
        if (abortsOf(trace).length === 0) return 'unexercised';
        const stopped = workOf(trace).find(({ task, end }) => end?.stopped && !gone.has(runOf(task)));
        if (stopped?.end) return { broken: `${stopped.name} is stopped, and nobody aborted its run`, at: stopped.end.at };
        return every(
          settlementsOf(trace).filter(({ run }) => !gone.has(run)),
          ({ run, status }) => status === 'cancelled' && `run ${run} is said to be cancelled, and it was another one that was aborted`,
        );
      },
    },
    {
      id: 'cancellation.timeout-stops-the-work',
      level: 'MUST',
      text: "When a sub-agent's time is up, whatever is under way in it and below it MUST be stopped by its signal.",
      why: 'A timeout that only stops waiting leaves the work going on: it still costs, and it still writes.',
      source: 'graph invariant 12, "after a timeout the child stops doing work"; graph X19',
      check: 'Is a promise raced against a timer, or is the signal aborted that the work was handed?',
      needs: ['timeouts'],
      when: (scenario) => timesOut(scenario),
      judge: (scenario, trace) =>
        every(
          workOf(trace).filter((work) => isEndless(scenario, work) && timedAround(scenario, work).length > 0),
          ({ name, end }) => !end?.stopped && `${name} is not stopped although its time is up`,
        ),
    },
    {
      id: 'cancellation.timeout-is-told',
      level: 'MUST',
      text: 'A sub-agent whose time is up MUST be told to the agent that asked it as one that failed.',
      why: 'An empty answer after an hour reads as the result of an hour.',
      source: 'graph invariant 11, "a timeout-class error naming the agent"; graph A4, "child timeout fails only that child"',
      check: 'Is what the timeout throws told like any other failure of that call?',
      needs: ['timeouts'],
      when: (scenario) => timesOut(scenario),
      judge: (scenario, trace) =>
        every(
          // A run in which something hangs on tells nobody anything.
          stoppedByTime(trace).flatMap(({ stopped }) => (settlementsOf(trace).length > 0 ? stopped.map((work) => ({ work, at: work.end?.at ?? work.at })) : [])),
          ({ work }) => {
            const told = timedAround(scenario, work).flatMap((ref) => toldIn(trace, ref));
            if (told.length === 0) return `nobody is told that the time of ${work.task} is up`;
            return (
              told.every(({ ref, text }) => saysNothing(text) || isAnswerOf(text, ref)) &&
              `${JSON.stringify(told[0]?.text)} is all that is told of ${told[0]?.ref}, whose time is up`
            );
          },
        ),
    },
    {
      id: 'cancellation.timeout-harms-nobody-else',
      level: 'MUST',
      text: "A sub-agent's timeout MUST NOT stop anything outside that sub-agent, and MUST NOT end the run.",
      why: 'One slow source of five takes the other four with it, or the whole report.',
      source: 'graph A4, "child timeout fails only that child unless escalated"; graph invariant 38, "cancelling one fork does not cancel siblings or parent"',
      check: 'Does each timeout have a controller of its own, linked to the one above, and not the other way round?',
      needs: ['timeouts'],
      when: (scenario) => timesOut(scenario),
      judge: (scenario, trace) => {
        const harm = stoppedByTime(trace).flatMap(({ stopped }) => stopped.filter((work) => !sharesALimit(scenario, stopped, work)));
        const [first] = harm;
        if (first) return { broken: `${first.name} is stopped, and it was not its time that was up`, at: first.end?.at ?? first.at };
        return every(
          settlementsOf(trace).filter(() => stoppedByTime(trace).some(({ stopped }) => stopped.length > 0)),
          ({ run, status }) => status !== 'completed' && `run ${run} is said to be ${status}, because the time of a sub-agent was up`,
        );
      },
    },
  ],
);

/** Tells whether the root's answer came from a call of its model that was under way when the run was aborted. It was too late to stop that. */
function answeredFrom(trace: Trace, run: number, abortedAt: number): boolean {
  const ending = endingsOf(trace).get(`r${run}`);
  const asked = ending && workOf(trace).find(({ of, task, turn }) => of === 'model' && task === ending.task && turn === ending.turn);
  return asked !== undefined && asked.at < abortedAt;
}

/** Tells whether something failed in a run, at any depth. */
function seenToFail(trace: Trace, run: number): boolean {
  return trace.some(
    (o) => (o.kind === 'model-replied' && o.reply === 'failure' && runOf(o.task) === run) || (o.kind === 'probe-acted' && o.op.kind === 'fail' && runOf(o.call) === run),
  );
}

/** The time of some sub-agent will be up: something in it never ends. Else nothing goes wrong. */
function timesOut(scenario: Scenario): boolean {
  const hangs = agentTasksOf(scenario).some(({ task }) => task.ending === 'hang') || opsOf(scenario).some(({ op }) => op.kind === 'hang');
  const fails = agentTasksOf(scenario).some(({ task, ref }) => task.ending === 'fail' && callTo(ref) === undefined);
  return isTimed(scenario) && hangs && !fails && !aborts(scenario) && !isLimited({ ...scenario, agents: undefined });
}

/** What whoever delegated to a sub-agent was told of it, if anything. */
function toldIn(trace: Trace, ref: Ref): readonly { readonly ref: Ref; readonly text: string }[] {
  const text = toldOf(trace, callTo(ref) as CallRef)?.text;
  return text === undefined ? [] : [{ ref, text }];
}

/** Tells whether there is a time limit around some work that is around all that was stopped with it: the one that was up. */
function sharesALimit(scenario: Scenario, stopped: readonly Work[], work: Work): boolean {
  return timedAround(scenario, work).some((ref) => stopped.every(({ task }) => task === ref || isAbove(ref, task)));
}
