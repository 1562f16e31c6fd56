import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import type { conversation } from '../../spec/conversation.ts';
import type { MutableAdapter } from '../../spec/model/parts.ts';
import type { Adapter, RunInput, RunOutcome } from '../../spec/model/ports.ts';
import { callTo, parentOf, type Ref, refIn, runOf } from '../../spec/model/ref.ts';
import { asking, type Mutant, type MutantsOf, onInstruments, running } from '../mutant.ts';

type Id = (typeof conversation)['requirements'][number]['id'];
type Prompt = LanguageModelV4Prompt;

/** A mutant that changes what models are shown. `flaw` is made anew for each team, so it may remember. */
function shows(what: string, flaw: () => (prompt: Prompt, at: Place) => Prompt, alsoBreaks: Mutant['alsoBreaks'] = []): Mutant {
  const of = (adapter: MutableAdapter): Adapter =>
    asking(adapter, () => {
      const change = flaw();
      return (ask, options, agent) => ask({ ...options, prompt: change(options.prompt, { agent, ref: taskOf(options.prompt), turn: turnOf(options.prompt) }) });
    });
  return { what, alsoBreaks, of };
}

/** A mutant that changes the results of the calls of the turn before. */
function tells(what: string, change: (results: readonly Result[]) => readonly Result[], alsoBreaks: Mutant['alsoBreaks'] = []): Mutant {
  return shows(what, () => (prompt) => prompt.with(-1, inMessage(prompt.at(-1) as LanguageModelV4Message, change)), alsoBreaks);
}

/** Where a model is asked. */
interface Place {
  readonly agent: string;
  readonly ref: Ref;
  readonly turn: number;
}

type Result = LanguageModelV4ToolResultPart;

function inMessage(message: LanguageModelV4Message, change: (results: readonly Result[]) => readonly Result[]): LanguageModelV4Message {
  return message.role === 'tool' ? { ...message, content: [...change(message.content.filter((part) => part.type === 'tool-result'))] } : message;
}

/** What is said in a conversation, without the instructions that it is under. */
const said = (prompt: Prompt): Prompt => prompt.filter(({ role }) => role !== 'system');
const isResult = ({ role }: LanguageModelV4Message): boolean => role === 'tool';

function taskOf(prompt: Prompt): Ref {
  const last = prompt.findLast(({ role }) => role === 'user');
  return refIn(last?.role === 'user' ? last.content.map((part) => (part.type === 'text' ? part.text : '')).join('') : '') ?? '';
}

function turnOf(prompt: Prompt): number {
  return prompt.slice(prompt.findLastIndex(({ role }) => role === 'user')).filter(({ role }) => role === 'assistant').length;
}

/** The turn that an activation was called in: `r0:1`. */
const turnOfCall = (ref: Ref): string => (callTo(ref) ?? '').replace(/\.\d+$/, '');

/** Puts what somebody else was told before what a model is told. `whose` picks out of all conversations that were had so far. */
function before(whose: (at: Place, others: readonly (Place & { readonly prompt: Prompt })[]) => Prompt | undefined): () => (prompt: Prompt, at: Place) => Prompt {
  return () => {
    const had: (Place & { readonly prompt: Prompt })[] = [];
    return (prompt, at) => {
      const others = said(whose(at, had) ?? []);
      had.push({ ...at, prompt });
      const start = prompt.findIndex(({ role }) => role !== 'system');
      return prompt.toSpliced(start, 0, ...others);
    };
  };
}

const isFailure = ({ output }: Result): boolean => output.type === 'error-text';
const text = ({ output }: Result): string => (output.type === 'text' || output.type === 'error-text' ? output.value : '');

/** What breaks when the result of a call that failed does not arrive. */
const FAILURES_TOLD = [
  'failure.is-told-to-the-asker',
  'failure.of-a-tool-is-told',
  'failure.of-a-part-is-told',
  'failure.throwing-prompt-fails-its-part',
  'failure.is-told-whatever-is-thrown',
  'cancellation.timeout-is-told',
] as const;

/** What breaks when a call is told what another came to. */
const MISTAKEN = [
  'conversation.answers-arrive-whole',
  'recursion.error-tells-limit-depth-and-chain',
  'failure.harms-only-its-own-call',
  'failure.outcome-is-how-it-ended',
  'failure.any-length-is-an-answer',
  'usage.bookkeeping-never-loses-the-answer',
  ...FAILURES_TOLD,
] as const;

export const conversationMutants: MutantsOf<Id> = {
  'conversation.callers-words-stay-above': [
    shows(
      "starts a sub-agent with its caller's conversation",
      before(({ ref }, others) => others.findLast((other) => other.ref === parentOf(ref))?.prompt),
      ['conversation.later-calls-start-anew'],
    ),
    shows(
      'shows the question of the run to every sub-agent',
      before(({ ref }, others) => (ref.includes('/') ? others.find((other) => other.ref === `r${runOf(ref)}`)?.prompt : undefined)),
    ),
  ],
  'conversation.turns-below-stay-below': [
    shows("adds a sub-agent's turns to its caller's conversation", () => {
      const had = new Map<Ref, Prompt>();
      return (prompt, { ref }) => {
        const below = [...had].filter(([other]) => parentOf(other) === ref).flatMap(([, turns]) => turns.filter(isResult));
        had.set(ref, prompt);
        return prompt.toSpliced(1, 0, ...below);
      };
    }),
  ],
  'conversation.instructions-are-its-own': [
    shows("asks a sub-agent under its caller's instructions", () => {
      const under = new Map<Ref, LanguageModelV4Message>();
      return (prompt, { ref }) => {
        const instructions = under.get(parentOf(ref) ?? '') ?? (prompt[0] as LanguageModelV4Message);
        under.set(ref, instructions);
        return prompt.with(0, instructions);
      };
    }),
    shows(
      'gives the instructions in the first turn only',
      () =>
        (prompt, { turn }) =>
          turn > 0 ? said(prompt) : prompt,
    ),
    shows(
      'starts a sub-agent without its instructions',
      () =>
        (prompt, { ref }) =>
          ref.includes('/') ? said(prompt) : prompt,
    ),
  ],
  'conversation.later-calls-start-anew': [
    shows(
      'keeps the conversation of a sub-agent for its next call',
      before(
        ({ agent, ref }, others) => others.findLast((other) => other.agent === agent && parentOf(other.ref) === parentOf(ref) && turnOfCall(other.ref) !== turnOfCall(ref))?.prompt,
      ),
    ),
  ],
  'conversation.calls-at-once-are-apart': [
    shows(
      'keeps one conversation for all calls that a turn makes of a sub-agent',
      before(
        ({ agent, ref }, others) =>
          others.findLast((other) => other.agent === agent && other.ref !== ref && callTo(ref) !== undefined && turnOfCall(other.ref) === turnOfCall(ref))?.prompt,
      ),
    ),
  ],
  'conversation.runs-start-anew': [
    shows(
      'goes on with the conversation of the run before',
      before(({ ref }, others) => (ref.includes('/') ? undefined : others.findLast((other) => runOf(other.ref) < runOf(ref) && !other.ref.includes('/'))?.prompt)),
    ),
  ],
  'conversation.every-call-has-one-result': [
    tells('leaves out the result of a call that failed', (results) => results.filter((result) => !isFailure(result)), [
      'recursion.a-hit-harms-its-own-branch-only',
      'executor.an-unknown-tool-is-told',
      'failure.malformed-call-is-told',
      ...FAILURES_TOLD,
    ]),
    tells('gives each result twice', (results) => results.flatMap((result) => [result, result])),
  ],
  'conversation.results-come-in-call-order': [
    tells('gives results from the last to the first', (results) => results.toReversed()),
    tells('gives results of calls that failed first', (results) => results.toSorted((a, b) => Number(isFailure(b)) - Number(isFailure(a)))),
  ],
  'conversation.result-belongs-to-its-call': [
    tells(
      'gives every call of a turn to one tool the result of the first',
      (results) => results.map((result) => ({ ...result, output: results.find(({ toolName }) => toolName === result.toolName)?.output ?? result.output })),
      MISTAKEN,
    ),
    tells('hands the results of a turn round', (results) => results.map((result, index) => ({ ...result, output: (results.at(index - 1) as Result).output })), MISTAKEN),
  ],
  'conversation.earlier-turns-are-kept': [
    shows('shows the results of the last turn only', () => (prompt) => {
      const last = prompt.findLastIndex(({ role }) => role === 'assistant');
      return prompt.filter((message, index) => index > last || !isResult(message));
    }),
  ],
  'conversation.answers-arrive-whole': [
    tells(
      'cuts results off after a thousand characters',
      (results) => results.map((result) => (text(result).length > 1_000 ? { ...result, output: { type: 'text', value: text(result).slice(0, 1_000) } } : result)),
      ['failure.any-length-is-an-answer'],
    ),
    tells(
      'gives a summary of what a sub-agent says',
      (results) => results.map((result) => (text(result).includes('Done with') ? { ...result, output: { type: 'text', value: 'The sub-agent is done.' } } : result)),
      ['usage.bookkeeping-never-loses-the-answer', 'failure.harms-only-its-own-call', 'failure.outcome-is-how-it-ended', 'failure.any-length-is-an-answer'],
    ),
  ],
  'conversation.a-run-ends-with-its-roots-answer': [
    ends(
      'cuts the answer of a run off after a thousand characters',
      (_, outcome) => ({ ...outcome, text: outcome.text?.slice(0, 1_000), streamed: outcome.streamed?.slice(0, 1_000) }),
      ['failure.any-length-is-an-answer'],
    ),
    ends(
      "completes a run with a sub-agent's words",
      ({ prompt }, outcome) => {
        const instead = (text: string | undefined): string | undefined => text?.replace(refIn(prompt) ?? '', `${refIn(prompt)}/0.0`);
        return { ...outcome, text: instead(outcome.text), streamed: instead(outcome.streamed) };
      },
      ['failure.any-length-is-an-answer', 'conversation.a-stream-says-the-answer'],
    ),
  ],
  'conversation.a-sub-agent-can-be-called-again': [
    {
      what: 'fails every further call of a sub-agent that has failed',
      alsoBreaks: ['recursion.frames-are-popped', 'failure.harms-only-its-own-call', 'failure.of-a-part-is-told'],
      of: lockingOut,
    },
  ],
  'conversation.a-run-can-follow-a-cancelled-one': [{ what: 'keeps one abort signal for all runs of a team', alsoBreaks: ['cancellation.other-runs-go-on'], of: stayingAborted }],
  'conversation.a-stream-says-the-answer': [
    ends('loses the last piece of a stream', (_, outcome) => ({ ...outcome, streamed: outcome.streamed?.slice(0, -4) })),
    ends('streams what sub-agents say, too', (_, outcome) => ({ ...outcome, streamed: outcome.streamed && `Done with r0/0.0.${outcome.streamed}` })),
  ],
  'conversation.streaming-changes-nothing': [
    {
      what: 'gives the results of a streamed run in another order',
      alsoBreaks: ['conversation.results-come-in-call-order'],
      of: whenStreaming((prompt) =>
        prompt.with(
          -1,
          inMessage(prompt.at(-1) as LanguageModelV4Message, (results) => results.toReversed()),
        ),
      ),
    },
    {
      what: 'says of every call of a streamed run that it went well',
      alsoBreaks: ['recursion.error-tells-limit-depth-and-chain', 'executor.an-unknown-tool-is-told', 'failure.malformed-call-is-told', ...FAILURES_TOLD],
      of: whenStreaming((prompt) =>
        prompt.with(
          -1,
          inMessage(prompt.at(-1) as LanguageModelV4Message, (results) =>
            results.map((result) => (isFailure(result) ? { ...result, output: { type: 'text', value: 'ok' } } : result)),
          ),
        ),
      ),
    },
  ],
};

/** A mutant that changes how runs end. */
function ends(what: string, change: (input: RunInput, outcome: RunOutcome) => RunOutcome, alsoBreaks: Mutant['alsoBreaks'] = []): Mutant {
  return {
    what,
    alsoBreaks,
    of: (adapter) => ({
      ...adapter,
      delegation: async (team, kit) => {
        const run = await adapter.delegation(team, kit);
        return async (input) => change(input, await run(input));
      },
    }),
  };
}

function lockingOut(adapter: MutableAdapter): Adapter {
  return asking(adapter, () => {
    const failed = new Map<string, Ref>();
    return async (ask, options, agent) => {
      const ref = taskOf(options.prompt);
      const key = `${parentOf(ref)} ${agent}`;
      const before = failed.get(key);
      if (before !== undefined && turnOfCall(before) !== turnOfCall(ref)) throw new Error(`${agent} has failed before.`);
      try {
        return await ask(options);
      } catch (error) {
        if (!options.abortSignal?.aborted) failed.set(key, ref);
        throw error;
      }
    };
  });
}

/** Once a run was aborted, every further one is. */
function stayingAborted(adapter: MutableAdapter): Adapter {
  return running(adapter, () => {
    let aborted: AbortSignal | undefined;
    return {
      before: (input) => {
        const signal = aborted?.aborted ? aborted : input.signal;
        aborted = signal;
        return { ...input, signal };
      },
    };
  });
}

/** Changes what models are shown that are asked for a stream. */
function whenStreaming(change: (prompt: Prompt) => Prompt): (adapter: MutableAdapter) => Adapter {
  return (adapter) =>
    onInstruments(adapter, (kit) => ({
      ...kit,
      model: (agent) => {
        const model = kit.model(agent);
        return { ...model, doStream: (options) => model.doStream({ ...options, prompt: change(options.prompt) }) };
      },
    }));
}
