import { agentOf, diverge } from './model/kinship.ts';
import { once } from './model/once.ts';
import { aborts, agentTasksOf, callsOf, type Delegation, delegationsOf, isLimited, opsOf, runsSmoothly, settlementsOf, strangersIn, tasksOf } from './model/questions.ts';
import { answerOf, calleeOf, type CallRef, callRef, isAbove, longAnswerOf, parseCallRef, type Ref, runOf, scriptOf, turnAt } from './model/ref.ts';
import { chapter, every } from './model/requirement.ts';
import type { AgentTask, Scenario } from './model/scenario.ts';
import { type Placed, seen, type Trace } from './model/trace.ts';

type Asked = Placed<'model-asked'>;

/** Every model says soundly what it spent: a runtime that trips over that is judged elsewhere. */
const isPaid = (scenario: Scenario): boolean => agentTasksOf(scenario).every(({ task }) => task.usage === 'sound');
const delegates = (scenario: Scenario): boolean => callsOf(scenario).some(({ call }) => call.kind === 'delegate');
const callsTools = (scenario: Scenario): boolean => callsOf(scenario).length > 0;
/** Some agent makes several calls in one turn. */
const callsAtOnce = (scenario: Scenario): boolean => agentTasksOf(scenario).some(({ task }) => task.turns.some((turn) => turn.length > 1));
/** Some agent delegates to one sub-agent in several turns. */
const callsAgain = (scenario: Scenario): boolean => agentTasksOf(scenario).some(({ task }) => new Set(calleesOf(task)).size < calleesOf(task).length);
const delegatesAtOnce = (scenario: Scenario): boolean =>
  agentTasksOf(scenario).some(({ task }) => task.turns.some((turn) => turn.filter(({ kind }) => kind === 'delegate').length > 1));
const inTurn = (scenario: Scenario): boolean => scenario.runs.length > 1 && scenario.inTurn === true;
/** Two runs do the same, and the caller of the second asks for a stream. */
const sameStreamed = ({ runs, streamed }: Scenario): boolean => runs.length === 2 && streamed?.join() === '1' && JSON.stringify(runs[0]) === JSON.stringify(runs[1]);
/** The runs of agents whose answer is streamed as text. An answer that fits a schema may be worded anew once it is whole. */
const streamedRuns = (scenario: Scenario): readonly number[] =>
  (scenario.streamed ?? []).filter((run) => scenario.runs[run]?.kind === 'agent' && !isStructured(scenario, `r${run}`));
const sameForAll = (scenario: Scenario): boolean => opsOf(scenario).every(({ op }) => op.kind === 'pass' || op.kind === 'fail');

/** Nothing in the definitions of agents can stop one but the time that it has. */
const onlyTimeStops = ({ agents }: Scenario): boolean => Object.values(agents ?? {}).every(({ limits, turns, output, runner }) => !(limits ?? turns ?? output ?? runner));
const isStructured = (scenario: Scenario, ref: Ref): boolean => scenario.agents?.[agentOf(scenario, ref) ?? '']?.output !== undefined;

/** The sub-agents that a task delegates to, turn by turn. */
const calleesOf = ({ turns }: AgentTask): readonly string[] =>
  turns.flatMap((turn) => [...new Set(turn.flatMap((call) => (call.kind === 'delegate' && call.task.kind === 'agent' ? [call.task.agent] : [])))]);

/** Every time that a model was asked after calls of its own, with the calls that it had made in the turn before. */
const followUps = once((trace: Trace) =>
  once((scenario: Scenario): readonly (Asked & { readonly calls: readonly CallRef[] })[] =>
    seen(trace, 'model-asked').flatMap((asked) => (asked.turn === 0 ? [] : [{ ...asked, calls: callsBefore(scenario, asked) }])),
  ),
);

const callsBefore = (scenario: Scenario, { task, turn }: Asked): readonly CallRef[] => callsIn(scenario, task, turn - 1);

/** What is said of a call or an activation that went well. */
const SENTENCE = /\b(?:Done with|Did) r[\w/.#:]+\./g;

function isEndless(scenario: Scenario, task: Ref): boolean {
  const script = scriptOf(scenario, task);
  return script?.kind === 'agent' && script.ending === 'forever';
}

function callsIn(scenario: Scenario, task: Ref, turn: number): readonly CallRef[] {
  const script = scriptOf(scenario, task);
  return script?.kind === 'agent' ? (turnAt(script, turn) ?? []).map((_, index) => callRef(task, turn, index)) : [];
}

/** Judges what models are shown of tasks that stand to theirs in some way. */
const shown = (scenario: Scenario, trace: Trace, fits: (stranger: Ref, task: Ref) => boolean) =>
  every(
    seen(trace, 'model-asked').filter(({ task }) => scriptOf(scenario, task) !== undefined),
    (asked) => {
      const found = strangersIn(asked).find(({ ref }) => fits(ref, asked.task));
      return found !== undefined && `the model of ${asked.task} was shown "${found.text}"`;
    },
  );

/** Tells whether two activations part at calls of one agent, of the same turn or of different ones. */
function partAt(turns: 'same' | 'different', a: Ref, b: Ref): boolean {
  const [, [stepA], [stepB]] = diverge(a, b);
  if (stepA === undefined || stepB === undefined || stepA.startsWith('#') || runOf(a) !== runOf(b)) return false;
  return (stepA.split('.')[0] === stepB.split('.')[0]) === (turns === 'same');
}

export const conversation = chapter(
  'conversation',
  `A sub-agent is asked one thing by somebody who knows much more. It is told its task, under its own instructions, and
nothing of the conversation that it was called from; its caller is told the answer, and nothing of how it came about. Each
call is a conversation of its own, whoever was called before or is called at the same time, and however that ended. And
the caller's own conversation stays whole: every call that its model made has exactly one result, the call's own, where the
call stood.`,
  [
    {
      id: 'conversation.callers-words-stay-above',
      level: 'MUST',
      text: "A sub-agent's model MUST be shown its task and nothing of the conversation of an agent above it.",
      why: 'A sub-agent that reads its caller over the shoulder answers the whole question, leaks what it was not told, and costs as much as all above it.',
      source: 'seed 000, #99, a delegate is prompted by its task; in-process invariant 24, "recorded child message"',
      check: "Is a sub-agent started with a new list of messages, or with its caller's?",
      needs: [],
      when: delegates,
      judge: (scenario, trace) => shown(scenario, trace, (stranger, task) => isAbove(stranger, task)),
    },
    {
      id: 'conversation.turns-below-stay-below',
      level: 'MUST',
      text: "The model of an agent that delegates MUST be shown the sub-agent's answer and nothing of its turns.",
      why: 'The point of a sub-agent is that its forty tool results do not fill the window of its caller.',
      source: 'seed 001, child runs have a conversation of their own; in-process notes A7',
      check: "Is the result of a delegated call the sub-agent's final answer, or its transcript?",
      needs: [],
      when: (scenario) => agentTasksOf(scenario).some(({ ref, task }) => ref.includes('/') && task.turns.length > 0),
      judge: (scenario, trace) => shown(scenario, trace, (stranger, task) => isAbove(task, stranger)),
    },
    {
      id: 'conversation.instructions-are-its-own',
      level: 'MUST',
      text: "Every agent's model MUST be asked under that agent's own instructions, and no other's.",
      why: 'A critic under the instructions of the writer it has to judge agrees with itself.',
      source: 'seed 002, §4.1, an agent is a role of its own',
      check: 'Are the instructions there in every turn? Are those of the caller still among the messages when a sub-agent is started?',
      needs: [],
      when: (scenario) => agentTasksOf(scenario).length > 1,
      judge: (_, trace) =>
        every(seen(trace, 'model-asked'), ({ task, turn, strays, instructed }) => {
          const found = strays.find((text) => text.startsWith('You are'));
          if (found !== undefined) return `the model of ${task} was told "${found}"`;
          return !instructed && `the model of ${task} was asked for turn ${turn} without the instructions of its agent`;
        }),
    },
    {
      id: 'conversation.later-calls-start-anew',
      level: 'MUST',
      text: 'A delegated call MUST NOT be shown anything of one that was made in an earlier turn, also of the same sub-agent.',
      why: 'The second task is answered with what was said of the first.',
      source: 'field bugs 9, 13; in-process invariant 62',
      check: "Is a sub-agent's conversation kept on the sub-agent, or in a session whose id was made once?",
      needs: [],
      when: (scenario) => agentTasksOf(scenario).some(({ task }) => task.turns.filter((turn) => turn.some(({ kind }) => kind === 'delegate')).length > 1),
      judge: (scenario, trace) => shown(scenario, trace, (stranger, task) => partAt('different', stranger, task)),
    },
    {
      id: 'conversation.calls-at-once-are-apart',
      level: 'MUST',
      text: 'Delegated calls of one turn MUST NOT be shown anything of each other, also when they are of the same sub-agent.',
      why: 'Two calls that share one history each see half of the other, and both answer the same.',
      source: 'field bugs 9, 13, 15; in-process invariant 62',
      check: 'Is anything of a conversation kept by the name of the sub-agent, or of its tool, rather than by the call?',
      needs: ['parallel'],
      when: delegatesAtOnce,
      judge: (scenario, trace) => shown(scenario, trace, (stranger, task) => partAt('same', stranger, task)),
    },
    {
      id: 'conversation.runs-start-anew',
      level: 'MUST',
      text: 'A run MUST NOT be shown anything of another run of the same team, before it or at the same time.',
      why: "One customer's conversation goes on in another's.",
      source: 'field bugs 15, 16; in-process invariants 67 and 72',
      check: 'Is a conversation kept on an agent that several runs share?',
      needs: [],
      when: (scenario) => scenario.runs.length > 1,
      judge: (scenario, trace) => shown(scenario, trace, (stranger, task) => runOf(stranger) !== runOf(task)),
    },
    {
      id: 'conversation.every-call-has-one-result',
      level: 'MUST',
      text: 'When a model is asked again, each call of its turn before MUST have exactly one result, whatever became of the call.',
      why: 'Providers refuse a conversation with a call that has no result; with two, the model believes either.',
      source: 'field bug 15, "transcript stays paired"; in-process invariant 61',
      check: 'Does a call that failed, was refused or was stopped still get a result under its id?',
      needs: [],
      when: callsTools,
      judge: (scenario, trace) =>
        every(followUps(trace)(scenario), ({ calls, results }) => {
          const wrong = calls.find((call) => results.filter((result) => result.call === call).length !== 1);
          return wrong !== undefined && `${wrong} has ${results.filter((result) => result.call === wrong).length} results`;
        }),
    },
    {
      id: 'conversation.results-come-in-call-order',
      level: 'MUST',
      text: 'The results of one turn MUST be given in the order of its calls, whichever ended first.',
      why: 'The same run gives another conversation each time, and no cache, no replay and no test can rely on it.',
      source: 'in-process invariant 60, "results go back in call order"',
      check: 'Are results collected by index, or pushed as they come?',
      needs: ['parallel'],
      when: callsAtOnce,
      judge: (scenario, trace) =>
        every(
          followUps(trace)(scenario).filter(({ calls }) => calls.length > 1),
          ({ calls, results }) => {
            const places = results.map(({ call }) => calls.indexOf(call));
            return places.some((place, index) => place < (places[index - 1] ?? 0)) && `the results came as ${results.map(({ call }) => call).join(', ')}`;
          },
        ),
    },
    {
      id: 'conversation.result-belongs-to-its-call',
      level: 'MUST',
      text: "The result of a call MUST be that call's own, never another's, also when one tool is called twice.",
      why: 'Two calls of one search tool, and each is answered with what the other found.',
      source: 'field bug 9, identical answers; in-process invariant 62, "memo by tool name"',
      check: 'Is a result looked up by the id of the call, or by the name of its tool?',
      needs: [],
      when: callsTools,
      judge: (scenario, trace) =>
        every(followUps(trace)(scenario), ({ results }) => {
          const wrong = results.find(({ call, text }) => strangersIn({ strays: text.match(SENTENCE) ?? [] }).some(({ name }) => !isOf(call, name)));
          return wrong !== undefined && `the result of ${wrong.call} was "${wrong.text}"`;
        }),
    },
    {
      id: 'conversation.earlier-turns-are-kept',
      level: 'MUST',
      text: "A model MUST be shown all earlier turns of its own task, with their calls' results.",
      why: 'An agent that forgets what it found calls the same tool again, and again.',
      source: 'seed 001, the child run has its own messages; in-process notes A11',
      check: 'Is the conversation cut, summarised or rebuilt between turns?',
      needs: [],
      when: (scenario) => agentTasksOf(scenario).some(({ task }) => task.turns.length > 1),
      judge: (scenario, trace) =>
        every(
          followUps(trace)(scenario).filter(({ task, turn }) => turn > 1 && !isEndless(scenario, task)),
          ({ task, turn, earlier }) => {
            const made = Array.from({ length: turn - 1 }, (_, index) => callsIn(scenario, task, index).length).reduce((a, b) => a + b, 0);
            return earlier < made && `of ${made} results of earlier turns, the model of ${task} was shown ${earlier}`;
          },
        ),
    },
    {
      id: 'conversation.answers-arrive-whole',
      level: 'MUST',
      text: 'The answer of a sub-agent MUST reach the model that asked, all of it, however long it is.',
      why: 'An answer that is cut in the middle reads like one that was finished.',
      source: 'in-process notes A6, "success returns output unchanged"',
      check: 'Is there a limit on the length of results? Are they summarised on the way?',
      needs: [],
      when: (scenario) => delegates(scenario) && !isLimited(scenario) && isPaid(scenario),
      judge: (scenario, trace) =>
        every(answeredDelegations(scenario, trace), ({ callee, result }) => !result?.text.includes(wordsOf(scenario, callee)) && cutShort(callee, result?.text ?? '')),
    },
    {
      id: 'conversation.a-run-ends-with-its-roots-answer',
      level: 'MUST',
      text: "A run whose agent answers MUST be completed, and its answer MUST be that agent's, all of it.",
      why: 'A caller who gets the last thing that anybody said takes a note of a sub-agent for the result.',
      source: 'in-process notes A3 and A11, output is the final response',
      check: 'Is the result taken from the final turn of the agent that was run?',
      needs: [],
      when: (scenario) => scenario.runs.some((task) => task.kind === 'agent' && task.ending === 'answer' && task.answer !== 'empty') && !aborts(scenario) && isPaid(scenario),
      judge: (scenario, trace) =>
        every(
          settlementsOf(trace).filter(({ run, at }) => hasAnswered(scenario, trace, `r${run}`, at)),
          ({ run, status, text }) =>
            status !== 'completed'
              ? `the run of r${run} ended as ${status}, although its agent answered`
              : !text.includes(wordsOf(scenario, `r${run}`)) && cutShort(`r${run}`, text),
        ),
    },
    {
      id: 'conversation.a-sub-agent-can-be-called-again',
      level: 'MUST',
      text: 'A sub-agent that failed or was stopped MUST answer when it is called again.',
      why: 'One failure, and the sub-agent is lost for the rest of the run: its session is locked, or its error is given again.',
      source: 'in-process invariants 71 and 110',
      check: 'Is something left behind when a call fails: a lock, a session, a rejected promise?',
      needs: [],
      when: (scenario) =>
        callsAgain(scenario) &&
        agentTasksOf(scenario).some(({ ref, task }) => ref.includes('/') && task.ending !== 'answer') &&
        !aborts(scenario) &&
        !scenario.limits &&
        onlyTimeStops(scenario) &&
        isPaid(scenario),
      judge: (scenario, trace) =>
        every(
          delegationsOf(scenario, trace).filter((later) => isAfterFailure(scenario, trace, later)),
          ({ call, callee, result }) =>
            result !== undefined && !hasAnswered(scenario, trace, callee, result.at) && `${call} was told "${result.text}", after the sub-agent had failed once`,
        ),
    },
    {
      id: 'conversation.a-run-can-follow-a-cancelled-one',
      level: 'MUST',
      text: 'A run MUST NOT be affected by one of the same team that was aborted before it.',
      why: 'Whoever pressed stop once has to restart the process.',
      source: 'in-process invariants 67 and 109',
      check: 'Is an abort controller, or a flag that says "stopped", kept on the team?',
      needs: ['abort'],
      when: (scenario) => inTurn(scenario) && aborts(scenario) && runsSmoothly({ ...scenario, abortAfter: undefined }),
      judge: (_, trace) =>
        every(
          settlementsOf(trace).filter(({ run }) => run > 0 && seen(trace, 'run-aborted').some((abort) => abort.run < run)),
          ({ run, status }) => status !== 'completed' && `run ${run} ended as ${status}; only the run before it was aborted`,
        ),
    },
    {
      id: 'conversation.a-stream-says-the-answer',
      level: 'MUST',
      text: "What a streamed run says, put together, MUST be its agent's answer, and MUST NOT be what a sub-agent said, however the run ends.",
      why: 'The user reads one thing on the screen, and another is kept in the record.',
      source: 'in-process invariants 22 and 118; in-process notes A11, stream',
      check: 'Are the words of sub-agents or of turns with calls in the stream? Is its last piece lost?',
      needs: ['streaming'],
      when: (scenario) => streamedRuns(scenario).length > 0,
      judge: (scenario, trace) =>
        every(
          settlementsOf(trace).filter(({ run }) => streamedRuns(scenario).includes(run)),
          ({ run, status, text, streamed }) => {
            const stranger = strangersIn({ strays: streamed?.match(SENTENCE) ?? [] }).find(({ name }) => name !== `r${run}`);
            if (stranger) return `the stream of r${run} said "${stranger.text}"`;
            return status === 'completed' && streamed !== text && `the stream said "${brief(streamed ?? '')}", and the answer is "${brief(text)}"`;
          },
        ),
    },
    {
      id: 'conversation.streaming-changes-nothing',
      level: 'MUST',
      text: 'A run that is streamed MUST show its models the same and end the same as one that is not.',
      why: 'The stream is what users see and the plain run is what tests see: a bug of one of them is found by nobody.',
      source: 'in-process invariant 22, "one rail forgets"; in-process notes A11, stream executes one by one',
      check: 'Does the streaming loop share its code with the plain one?',
      needs: ['streaming'],
      when: (scenario) => sameStreamed(scenario) && sameForAll(scenario) && !isLimited(scenario) && !aborts(scenario),
      judge: (_, trace) => {
        const [plain, streamed] = [storyOf(trace, 0), storyOf(trace, 1)];
        return every(
          settlementsOf(trace).filter(({ run }) => run === 1),
          () => {
            const different = [...new Set([...plain.keys(), ...streamed.keys()])].find((key) => plain.get(key) !== streamed.get(key));
            return (
              different !== undefined &&
              `streamed, ${different} was ${brief(streamed.get(different) ?? 'nothing')}; not streamed, it was ${brief(plain.get(different) ?? 'nothing')}`
            );
          },
        );
      },
    },
  ],
);

/** Tells whether a name is of what a call did: of the call itself, or of what it asked for, with all below. */
function isOf(call: CallRef, name: Ref | CallRef): boolean {
  const asked = calleeOf(call);
  return name === call || name === asked || isAbove(asked, name.replace(':', '/'));
}

/** The answer that the script has for an agent's task. */
function wordsOf(scenario: Scenario, ref: Ref): string {
  const script = scriptOf(scenario, ref);
  return script?.kind === 'agent' && script.answer === 'huge' ? longAnswerOf(ref) : answerOf(ref);
}

function hasAnswered(scenario: Scenario, trace: Trace, ref: Ref, before: number): boolean {
  const script = scriptOf(scenario, ref);
  const says = script?.kind === 'agent' && (script.answer === undefined || script.answer === 'huge');
  return says && seen(trace, 'model-replied').some((o) => o.task === ref && o.reply === 'answer' && o.at < before);
}

/** Every delegation to an agent that answered before its caller was asked again. */
function answeredDelegations(scenario: Scenario, trace: Trace): readonly Delegation[] {
  return delegationsOf(scenario, trace).filter(({ callee, result }) => result !== undefined && hasAnswered(scenario, trace, callee, result.at));
}

/** What agents and tools of the kit say, whatever is put around it. */
const OWN_WORDS = /\b(?:Done with|Did|The model failed on|The probe failed on) r[\w/.#:]*\w/g;

function cutShort(ref: Ref, text: string): string {
  return `the answer of ${ref} arrived as "${brief(text)}" (${text.length} characters)`;
}

function brief(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 40)} … ${text.slice(-30)}`;
}

/** A delegation whose script is smooth, to a sub-agent that the same agent called in an earlier turn, when it failed. */
function isAfterFailure(scenario: Scenario, trace: Trace, later: Delegation): boolean {
  const agent = agentOf(scenario, later.callee);
  const turn = parseCallRef(later.call)?.turn ?? 0;
  const within = tasksOf(scenario).flatMap(({ ref, task }) => (ref === later.callee || isAbove(later.callee, ref) ? [task] : []));
  const isSmooth = runsSmoothly({ ...scenario, runs: within.slice(0, 1) });
  return (
    agent !== undefined &&
    isSmooth &&
    delegationsOf(scenario, trace).some(
      (earlier) => earlier.by === later.by && agentOf(scenario, earlier.callee) === agent && (parseCallRef(earlier.call)?.turn ?? 0) < turn && !earlier.answered,
    )
  );
}

/** What the models of a run were shown and how it ended, without its number. Words of the runtime's own are left out. */
function storyOf(trace: Trace, run: number): ReadonlyMap<string, string> {
  const anonymous = (text: string): string => text.replaceAll(/\br\d+(?=[/:.#]|\b)/g, 'r');
  const told = (name: string, text: string): string => anonymous(`${name}: ${(text.match(OWN_WORDS) ?? []).join(' ') || 'other words'}`);
  const asked = seen(trace, 'model-asked').flatMap(({ task, turn, results }): [string, string][] =>
    runOf(task) === run ? [[`turn ${turn} of ${anonymous(task)}`, results.map(({ call, text }) => told(call, text)).join('; ')]] : [],
  );
  const settled = settlementsOf(trace).flatMap((o): [string, string][] => (o.run === run ? [['the end', told(o.status, o.text)]] : []));
  return new Map([...asked, ...settled]);
}
