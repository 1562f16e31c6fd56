import {
  causesWithin,
  endedComposites,
  endingsOf,
  type FailedCall,
  failedCallsOf,
  hasWithin,
  type MadeCall,
  madeCallsOf,
  type Outcome,
  outcomesOf,
  outermost,
  saysNothing,
  throwsAPrompt,
  toldOf,
  unstarted,
} from './model/failures.ts';
import { aborts, agentTasksOf, callsOf, isLimited, isOutOfReach, recurses, startsOf } from './model/questions.ts';
import { answerOf, callAt, calleeOf, callTo, doneWith, isAnswerOf, modelFlaw, parentOf, promptFlaw, type Ref, runOf } from './model/ref.ts';
import { chapter, every } from './model/requirement.ts';
import type { AgentTask, CompositeTask, Failure, Scenario } from './model/scenario.ts';
import { seen, type Trace } from './model/trace.ts';

/** Nobody aborts, nothing recurses, and no limit stops anybody: what fails fails by itself. */
const byItself = (scenario: Scenario): boolean => !aborts(scenario) && !recurses(scenario) && !isLimited(scenario);
const isOdd = (how: Failure | undefined): boolean => how !== undefined && how !== 'error';
const failsAs = (scenario: Scenario, fits: (how: Failure | undefined) => boolean): boolean =>
  agentTasksOf(scenario).some(({ task, ref }) => task.ending === 'fail' && callTo(ref) !== undefined && fits(task.failure));
const toolFailsAs = (scenario: Scenario, fits: (how: Failure | undefined) => boolean): boolean =>
  callsOf(scenario).some(({ call }) => call.kind === 'probe' && call.op.kind === 'fail' && fits(call.op.how));
const isMalformed = (scenario: Scenario): boolean => callsOf(scenario).some(({ call }) => call.kind !== 'recurse' && call.malformed);
const isStructured = ({ agents }: Scenario, { agent }: AgentTask): boolean => agents?.[agent]?.output !== undefined;

/** The failures that their asker was told of, placed where it was. */
const toldFailures = (scenario: Scenario, trace: Trace, fits: (failure: FailedCall) => boolean) =>
  failedCallsOf(scenario, trace).flatMap((failure) => {
    const told = fits(failure) && toldOf(trace, failure.call);
    return told ? [{ ...failure, ...told }] : [];
  });

/** Tells that a failure was not told, or not why it came about. */
function untold({ call, by, cause, how, text }: FailedCall & { readonly text: string | undefined }): string | false {
  if (text === undefined) return `${by} is told nothing of ${call}, which failed`;
  if (how === 'nothing') return saysNothing(text) && `${by} is told ${JSON.stringify(text)} of ${call}, which failed`;
  return !text.includes(cause) && `${by} is told ${JSON.stringify(text)} of ${call}, which failed with "${cause}"`;
}

export const failure = chapter(
  'failure',
  `Something always fails: a tool throws, a provider is down, a model writes nonsense. Whoever asked has to be told, in
words that say why, for it is a model that decides what to do next. So a failure is a result like any other: of one call,
under that call's id, and it harms nothing beside it. It is neither an empty answer nor the end of everything. And what
counts is how a sub-agent ended: not what went wrong on its way there, nor that it was stopped before it had an answer.`,
  [
    {
      id: 'failure.is-told-to-the-asker',
      level: 'MUST',
      text: 'The failure of a sub-agent MUST be told to the agent that asked it, with its cause.',
      why: 'An empty answer reads as "there was nothing to find", and the coordinator goes on to report just that.',
      source: 'in-process invariant 87; seed 001, "they are child runs with their own … failures"; field bug 64',
      check: 'Does the tool that delegates return the error of a sub-agent that failed, or the text that it did not get to write?',
      needs: [],
      when: (scenario) => byItself(scenario) && failsAs(scenario, (how) => !isOdd(how)),
      judge: (scenario, trace) =>
        every(
          toldFailures(scenario, trace, ({ of, how }) => of === 'sub-agent' && how === 'error'),
          untold,
        ),
    },
    {
      id: 'failure.of-a-tool-is-told',
      level: 'MUST',
      text: 'The failure of a tool MUST be told to the agent that called it, with its cause.',
      why: 'A model that is told only that something failed tries the same again, and again.',
      source: 'in-process invariant 61, "one call throwing yields an error result for that call"',
      check: 'Does the message of what a tool threw stand in the result of its call?',
      needs: [],
      when: (scenario) => byItself(scenario) && toolFailsAs(scenario, (how) => !isOdd(how)),
      judge: (scenario, trace) =>
        every(
          toldFailures(scenario, trace, ({ of, how }) => of === 'tool' && how === 'error'),
          untold,
        ),
    },
    {
      id: 'failure.is-told-whatever-is-thrown',
      level: 'MUST',
      text: 'A failure MUST be told as one also when what was thrown is a string, undefined, or an error that looks like an abort.',
      why: "Code that reads the message of whatever was thrown breaks on a library's string, and what was a failed call is a crash.",
      source: 'in-process invariants 85, 87 and 123; in-process notes A1, "the caught value is cast, not normalised"',
      check: 'Is what was caught made an error before its message is read? Is a failure recognised by `error !== undefined`?',
      needs: [],
      when: (scenario) => byItself(scenario) && (failsAs(scenario, isOdd) || toolFailsAs(scenario, isOdd)),
      judge: (scenario, trace) =>
        every(
          toldFailures(scenario, trace, ({ how }) => how !== 'error'),
          untold,
        ),
    },
    {
      id: 'failure.harms-only-its-own-call',
      level: 'MUST',
      text: 'The failure of one call MUST NOT keep the agent that made it from its next turn, nor from the results of its other calls.',
      why: 'Four of five sub-agents did their work, it was paid for, and nobody gets to see it.',
      source: 'in-process invariant 61, "siblings\' results arrive; the run goes on"; in-process invariant 91; graph X19',
      check: 'Are the calls of one turn awaited with something that rejects at the first failure?',
      needs: [],
      when: (scenario) => byItself(scenario) && !isMalformed(scenario) && (failsAs(scenario, () => true) || toolFailsAs(scenario, () => true)),
      judge: (scenario, trace) => every(failedCallsOf(scenario, trace), (failed) => harmed(scenario, trace, failed)),
    },
    {
      id: 'failure.ends-the-run-as-failed',
      level: 'MUST',
      text: 'A run whose root agent fails MUST end as failed, with the cause.',
      why: 'A caller that branches on success ships an empty report, or has an error that says nothing to look into.',
      source: 'in-process invariant 85; field bug 64',
      check: 'Is the error of the root caught on its way to the caller, or wrapped without its cause?',
      needs: [],
      when: (scenario) => byItself(scenario) && agentTasksOf(scenario).some(({ task, ref }) => parentOf(ref) === undefined && task.ending === 'fail'),
      judge: (scenario, trace) =>
        every(
          // What looks like an abort is for the chapter on cancellation.
          outcomesOf(scenario, trace).filter(({ task, script, settled }) => settled && endingsOf(trace).get(task)?.reply === 'failure' && script.failure !== 'abort-shaped'),
          ({ task, script, settled }) => {
            if (settled?.status !== 'failed') return `run ${runOf(task)} is said to be ${settled?.status}, and its model failed`;
            const cause = script.failure === 'nothing' ? '' : modelFlaw(task);
            return !(settled.error ?? '').includes(cause) && `run ${runOf(task)} failed with "${cause}", and its error says ${JSON.stringify(settled.error)}`;
          },
        ),
    },
    {
      id: 'failure.outcome-is-how-it-ended',
      level: 'MUST',
      text: 'An agent that answers MUST count as one that succeeded, also when calls of its own failed on the way.',
      why: 'An agent that looked elsewhere when one search failed did its job; thrown away, it is asked for all of it again.',
      source: 'in-process invariant 87, "the coordinator continues"; graph A3, "failure boundary"',
      check: 'Is success taken from how the agent ended, or from a flag that any failing call sets?',
      needs: [],
      when: (scenario) => byItself(scenario) && recovers(scenario),
      judge: (scenario, trace) =>
        every(recoveries(scenario, trace), ({ task, told, settled }) => {
          if (settled) return settled.status !== 'completed' && `run ${runOf(task)} is said to be ${settled.status}, and its agent answered in the end`;
          return told !== undefined && !isAnswerOf(told, task) && `${task} answered in the end, and who asked it is told ${JSON.stringify(told)}`;
        }),
    },
    {
      id: 'failure.malformed-call-is-told',
      level: 'MUST',
      text: 'A call whose arguments are not JSON, or do not fit, MUST be told as a failure under its id, and MUST NOT start anything.',
      why: 'Models get arguments wrong every day. Told so, they correct themselves; a runtime that throws ends the run instead.',
      source: 'in-process notes A12, "invalid args at a node tool … `{error}` in the live loop"; in-process invariant 61',
      check: "Is a call's JSON parsed, and its schema applied, inside what catches the failure of that call?",
      needs: [],
      when: (scenario) => byItself(scenario) && isMalformed(scenario),
      judge: (scenario, trace) =>
        every(
          madeCallsOf(scenario, trace).filter(({ malformed }) => malformed),
          (made) => mishandled(trace, made) || harmed(scenario, trace, made),
        ),
    },
    {
      id: 'failure.arguments-are-parsed-once',
      level: 'SHOULD',
      text: 'The arguments of a call SHOULD be parsed by the schema of its tool at most once.',
      why: 'A schema may transform what it parses: a second time it adds the tax again, or refuses what it made itself.',
      source: 'in-process notes A4, "node-tool parameters are parsed TWICE: non-idempotent transforms double-apply or throw"',
      check: 'Do both the loop and the tool that delegates apply the schema?',
      needs: [],
      when: (scenario) => callsOf(scenario).length > 0,
      judge: (_, trace) => {
        const parsed = new Map<string, number>();
        return every(seen(trace, 'arguments-parsed'), ({ call }) => {
          parsed.set(call, (parsed.get(call) ?? 0) + 1);
          return (parsed.get(call) as number) > 1 && `the arguments of ${call} are parsed again`;
        });
      },
    },
    {
      id: 'failure.any-length-is-an-answer',
      level: 'SHOULD',
      text: 'An answer SHOULD arrive whole and as a success, also when it is empty or very long.',
      why: 'An agent that was asked to tidy up has nothing to say; one that was asked for a transcript has a great deal, and its end matters.',
      source: 'in-process notes A12, "empty tier-1 text"; field bug 64; in-process invariant 70',
      check: 'Is an answer tested for its truth (`if (text)`)? Is a result cut to some length?',
      needs: [],
      when: (scenario) => byItself(scenario) && agentTasksOf(scenario).some(({ task }) => isOfOddLength(scenario, task)),
      judge: (scenario, trace) => every(oddAnswers(scenario, trace), curtailed),
    },
    {
      id: 'failure.unfit-answer-is-a-failure',
      level: 'MUST',
      text: 'An agent whose answer does not fit its schema MUST count as failed: it MUST NOT be given to whoever asked as an answer.',
      why: 'Whoever asked for a structure reads fields of it; they are undefined, three calls from where that can be explained.',
      source: 'in-process invariant 122; in-process notes A2, "structured run"; in-process invariant 85',
      check: 'Is a structured answer validated where the agent ends, before anybody calls it its result?',
      needs: ['structured'],
      when: (scenario) => byItself(scenario) && agentTasksOf(scenario).some(({ task }) => task.ending === 'answer' && task.answer === 'unfit' && isStructured(scenario, task)),
      judge: (scenario, trace) =>
        every(unfitAnswers(scenario, trace), ({ task, told, settled }) => {
          if (settled) return settled.status !== 'failed' && `run ${runOf(task)} is said to be ${settled.status}, and its answer does not fit`;
          return told !== undefined && (saysNothing(told) || isUnfit(told)) && `the answer of ${task} does not fit, and who asked it is told ${JSON.stringify(told)}`;
        }),
    },
    {
      id: 'failure.last-turn-is-no-answer',
      level: 'MUST',
      text: 'An agent that has used up its turns without an answer MUST count as failed.',
      why: 'What it said last is a plan, or nothing at all, and is taken for what it was asked to find.',
      source: 'in-process invariant 124, "an iteration-capped leaf is not reported as succeeded"; in-process notes A2, "finishReason is IGNORED"',
      check: 'What does the loop return when it ends by its count, and who looks at that?',
      needs: ['turns'],
      when: (scenario) => !aborts(scenario) && !recurses(scenario) && agentTasksOf(scenario).some(({ task }) => isCapped(scenario, task)),
      judge: (scenario, trace) =>
        every(cappedIn(scenario, trace), ({ task, script, told, settled }) => {
          const most = turnsOf(scenario, script);
          if (seen(trace, 'model-asked').filter((asked) => asked.task === task).length > most) return `${task} has ${most} turns, and its model was asked for more`;
          if (settled) return settled.status !== 'failed' && `run ${runOf(task)} is said to be ${settled.status}, and its agent never answered`;
          return told !== undefined && (saysNothing(told) || isAnswerOf(told, task)) && `${task} never answered, and who asked it is told ${JSON.stringify(told)}`;
        }),
    },
    {
      id: 'failure.of-a-part-is-told',
      level: 'MUST',
      text: 'A composite of which a part failed MUST run the others all the same, and MUST tell the cause.',
      why: 'A fan-out over ninety documents with one that cannot be read gives nothing, or eighty-nine that look like all.',
      source: 'in-process invariants 90, 91 and 93; graph X19, "siblings complete"',
      check: 'Does every way for a part to fail become the result of that part? Does the whole carry it?',
      needs: ['composites'],
      when: (scenario) => byItself(scenario) && !isMalformed(scenario) && outermost(scenario).some(losesAPart),
      judge: (scenario, trace) =>
        every(endedComposites(scenario, trace).filter(losesAPart), ({ ref, task, text }) => {
          const left = unstarted(trace, ref, task);
          if (left) return `${left} never ran, because a part beside it failed`;
          const causes = causesWithin(ref, task);
          return !causes.some((cause) => text.includes(cause)) && `${JSON.stringify(text)} is all that is told of ${ref}, in which there was: ${causes.join(' ')}`;
        }),
    },
    {
      id: 'failure.throwing-prompt-fails-its-part',
      level: 'SHOULD',
      text: 'A function that makes the prompt of a part and throws SHOULD fail that part, with what it threw, and nothing else.',
      why: 'Such a function is code that somebody wrote in a hurry; outside of what catches, it takes the process down.',
      source: 'in-process invariants 86 and 91; in-process notes A1, "a prompt function that throws makes `run` REJECT"',
      check: 'Is the prompt made inside what catches the failure of the part that it is for?',
      needs: ['composites'],
      when: (scenario) => byItself(scenario) && !isMalformed(scenario) && outermost(scenario).some(lacksAPrompt),
      judge: (scenario, trace) =>
        every(endedComposites(scenario, trace).filter(lacksAPrompt), ({ ref, task, text }) => {
          const left = unstarted(trace, ref, task);
          if (left) return `${left} never ran, because the prompt of another part could not be made`;
          return !text.includes(promptFlaw(`${ref}/#${task.throws}`)) && `${JSON.stringify(text)} is all that is told of ${ref}, where a prompt could not be made`;
        }),
    },
  ],
);

/** What an agent lost by the failure of one of its calls: its next turn, or the result of another call of that turn. */
function harmed(scenario: Scenario, trace: Trace, { call, by, turn }: Pick<FailedCall, 'call' | 'by' | 'turn'>): string | false {
  if (!toldOf(trace, call)) return `${by} is not asked again after ${call} failed`;
  const others = madeCallsOf(scenario, trace).filter((other) => other.by === by && other.turn === turn && other.call !== call);
  const lost = others.find(
    (other) => goesWell(scenario, other) && !toldOf(trace, other.call)?.text?.includes(other.script ? answerOf(calleeOf(other.call)) : doneWith(other.call)),
  );
  return lost !== undefined && `${by} does not get the result of ${lost.call}, because ${call} failed`;
}

/** Tells whether the script has a call come to what the kit has words for. */
function goesWell(scenario: Scenario, { call, by, script }: MadeCall): boolean {
  const made = callAt(scenario, call);
  if (made === undefined || (made.kind !== 'recurse' && made.malformed)) return false;
  if (made.kind === 'probe') return made.op.kind !== 'fail' && !isOutOfReach(scenario, by, made);
  return script?.kind === 'agent' && script.ending === 'answer' && script.answer === undefined;
}

/** Tells that a malformed call led to something, or that nobody was told of it. */
function mishandled(trace: Trace, { call, by, script }: MadeCall): string | false {
  if (script ? [...startsOf(trace).keys()].some((ref) => `${ref}/`.startsWith(`${calleeOf(call)}/`)) : seen(trace, 'probe-called').some((called) => called.call === call))
    return `${call} was carried out, although its arguments are wrong`;
  const told = toldOf(trace, call);
  if (!told) return `${by} is not asked again after it got the arguments of ${call} wrong`;
  return (told.text === undefined || saysNothing(told.text)) && `${by} is not told that it got the arguments of ${call} wrong`;
}

/** Tells whether some agent answers although a call of its own fails. */
function recovers(scenario: Scenario): boolean {
  return agentTasksOf(scenario).some(
    ({ task }) =>
      canRecover(task) &&
      task.turns.flat().some((call) => (call.kind === 'probe' ? call.op.kind === 'fail' : call.kind === 'delegate' && call.task.kind === 'agent' && call.task.ending === 'fail')),
  );
}

const canRecover = ({ ending, answer }: AgentTask): boolean => ending === 'answer' && answer === undefined;

/** Agents that answered although a call of theirs had failed. */
function recoveries(scenario: Scenario, trace: Trace): readonly Outcome[] {
  const shaken = new Set(failedCallsOf(scenario, trace).map(({ by }) => by));
  return outcomesOf(scenario, trace).filter(({ task, script }) => canRecover(script) && shaken.has(task) && endingsOf(trace).get(task)?.reply === 'answer');
}

function isOfOddLength(scenario: Scenario, task: AgentTask): boolean {
  return task.ending === 'answer' && (task.answer === 'empty' || task.answer === 'huge') && !isStructured(scenario, task);
}

const oddAnswers = (scenario: Scenario, trace: Trace): readonly Outcome[] =>
  outcomesOf(scenario, trace).filter(({ task, script }) => isOfOddLength(scenario, script) && endingsOf(trace).get(task)?.reply === 'answer');

/** Tells that an answer was taken for none because of its length, or lost some of it. A long one says at both ends whose it is. */
function curtailed({ task, script, told, settled }: Outcome): string | false {
  if (settled && settled.status !== 'completed') return `run ${runOf(task)} is said to be ${settled.status}, and its agent answered`;
  const text = settled ? settled.text : told;
  if (text === undefined) return `nothing is told of ${task}, which answered with an empty text`;
  return script.answer === 'huge' && text.split(answerOf(task)).length < 3 && `the answer of ${task} is cut to ${text.length} characters`;
}

const unfitAnswers = (scenario: Scenario, trace: Trace): readonly Outcome[] =>
  outcomesOf(scenario, trace).filter(({ script, task }) => script.answer === 'unfit' && isStructured(scenario, script) && endingsOf(trace).get(task)?.reply === 'answer');

/** Tells whether a text is just the answer that does not fit. */
const isUnfit = (text: string): boolean => text.replaceAll(/\s/g, '') === '{"reply":1}';

function isCapped({ agents }: Scenario, { agent, turns, ending }: AgentTask): boolean {
  const most = agents?.[agent]?.turns;
  return most !== undefined && ending === 'answer' && turns.length + 1 > most;
}

const cappedIn = (scenario: Scenario, trace: Trace): readonly Outcome[] =>
  outcomesOf(scenario, trace).filter(({ script, task }) => isCapped(scenario, script) && endingsOf(trace).get(task)?.reply !== 'failure');

/** How many turns the model of an agent may take. */
const turnsOf = ({ agents }: Scenario, { agent }: AgentTask): number => agents?.[agent]?.turns ?? Number.POSITIVE_INFINITY;

interface Composite {
  readonly ref: Ref;
  readonly task: CompositeTask;
}

/** Tells whether parts of a composite fail, and all their prompts can be made. A loop ends with the part that fails. */
const losesAPart = ({ ref, task }: Composite): boolean => causesWithin(ref, task).length > 0 && !hasWithin(task, (its) => its.kind === 'loop' || throwsAPrompt(its));

/** Tells whether a prompt of a composite cannot be made, and nothing else is wrong with it. */
const lacksAPrompt = ({ ref, task }: Composite): boolean => throwsAPrompt(task) && causesWithin(ref, task).length === 1;
