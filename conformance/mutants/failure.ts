import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { failure } from '../../spec/failure.ts';
import { isAnswerOf, parentOf, type Ref, refIn } from '../../spec/model/ref.ts';
import type { MutableAdapter } from '../../spec/model/parts.ts';
import type { Adapter, CompositeSpec, RunOutcome, Team } from '../../spec/model/ports.ts';
import { asking, type Mutant, type MutantsOf, onInstruments, onProbes, running, taskOf } from '../mutant.ts';
import { type Result, retold, rewords, tells, textOf } from './results.ts';

type Id = (typeof failure)['requirements'][number]['id'];
const failed = (text: string): boolean => /\bThe (?:model|probe) failed on /.test(text);
const modelFailed = (text: string): boolean => text.includes('The model failed on ');
const isComposite = (tool: string): boolean => /_(?:sequence|parallel|fanout|loop)_/.test(tool);

/** A mutant whose tools throw something else than they did. */
function throwing(what: string, change: (thrown: unknown) => string, alsoBreaks: Mutant['alsoBreaks'] = []): Mutant {
  return { what, alsoBreaks, of: (adapter) => onProbes(adapter, () => (call) => async (input, context) => call(input, context).catch(change)) };
}

/** A mutant that says something else of how a run ended. */
function ends(what: string, change: (outcome: RunOutcome) => RunOutcome, alsoBreaks: Mutant['alsoBreaks'] = []): Mutant {
  return { what, alsoBreaks, of: (adapter) => running(adapter, () => ({ after: change })) };
}

/** What a run ends with whose root agent's model failed, and not somebody below. */
const rootFailed = ({ status, error }: RunOutcome): boolean => status === 'failed' && /\bThe model failed on r\d+\./.test(messageOf(error));

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function fail(message: string): never {
  throw new Error(message);
}

export const failureMutants: MutantsOf<Id> = {
  'failure.is-told-to-the-asker': [
    rewords('gives an empty answer where a sub-agent failed', (text, tool) => modelFailed(text) && !isComposite(tool), '', ['failure.is-told-whatever-is-thrown']),
    rewords('says of a sub-agent only that it failed', (text, tool) => modelFailed(text) && !isComposite(tool), 'The sub-agent failed.', ['failure.is-told-whatever-is-thrown']),
  ],
  'failure.of-a-tool-is-told': [
    throwing('says of a tool only that it failed', (thrown) => (thrown instanceof Error && thrown.name === 'Error' ? fail('The tool failed.') : rethrow(thrown))),
    throwing('gives an empty result where a tool failed', (thrown) => (thrown instanceof Error && thrown.name === 'Error' ? '' : rethrow(thrown))),
  ],
  'failure.is-told-whatever-is-thrown': [
    throwing('reads the message of whatever is thrown', (thrown) => fail(String((thrown as Error | undefined)?.message ?? ''))),
    throwing('takes a tool for done when it threw nothing that is true', (thrown) => (thrown ? rethrow(thrown) : '')),
    throwing('has nothing to say of what looks like an abort', (thrown) => (thrown instanceof Error && thrown.name === 'AbortError' ? '' : rethrow(thrown))),
  ],
  'failure.harms-only-its-own-call': [
    {
      what: 'fails an agent when one of its calls fails',
      of: failingWithCalls,
      alsoBreaks: ['lineage.subscribers-cannot-harm', 'failure.of-a-part-is-told', 'failure.malformed-call-is-told'],
    },
    tells('gives no other result where one call failed', (results) => (results.some((result) => failed(textOf(result))) ? results.map(skipped) : results), [
      'failure.outcome-is-how-it-ended',
      'failure.any-length-is-an-answer',
      'failure.throwing-prompt-fails-its-part',
      'conversation.answers-arrive-whole',
    ]),
  ],
  'failure.ends-the-run-as-failed': [
    ends('completes a run whose model failed, without an answer', (outcome) => (rootFailed(outcome) ? { ...outcome, status: 'completed', text: '' } : outcome), [
      'lineage.ends-say-how-it-ended',
    ]),
    ends('does not say why a run failed', (outcome) => (rootFailed(outcome) ? { ...outcome, error: new Error('The run failed.') } : outcome)),
  ],
  'failure.outcome-is-how-it-ended': [
    {
      what: 'takes an agent for failed when it answers after a call that failed',
      of: neverForgiving,
      alsoBreaks: [
        'failure.harms-only-its-own-call',
        'failure.any-length-is-an-answer',
        'conversation.answers-arrive-whole',
        'conversation.a-run-ends-with-its-roots-answer',
        'lineage.ends-say-how-it-ended',
        'lineage.subscribers-cannot-harm',
      ],
    },
  ],
  'failure.malformed-call-is-told': [
    { what: 'ends the agent whose model wrote what is not JSON', of: (adapter) => onCalls(adapter, (call) => isJson(call.input) || fail('Unexpected end of JSON input')) },
    {
      what: 'leaves out calls whose arguments are not JSON',
      of: (adapter) => onCalls(adapter, (call) => isJson(call.input)),
      alsoBreaks: ['conversation.every-call-has-one-result', 'conversation.earlier-turns-are-kept'],
    },
  ],
  'failure.arguments-are-parsed-once': [
    {
      what: "parses a tool's arguments again when it calls the tool",
      of: (adapter) =>
        onProbes(
          adapter,
          () =>
            (call, { input: schema }) =>
            (input, context) =>
              call(schema.parse(input), context),
        ),
    },
    {
      what: "parses a delegation's arguments when it is checked and when it is made",
      of: (adapter) => onInstruments(adapter, (kit) => ({ ...kit, taskInput: kit.taskInput.refine((input) => kit.taskInput.safeParse(input).success) })),
    },
  ],
  'failure.any-length-is-an-answer': [
    tells('leaves out a result that is empty', (results) => results.filter((result) => textOf(result) !== ''), [
      'conversation.every-call-has-one-result',
      'conversation.earlier-turns-are-kept',
    ]),
    tells('cuts a result to 2,000 characters', (results) => results.map((result) => ({ ...result, output: { type: 'text', value: textOf(result).slice(0, 2_000) } })), [
      'conversation.answers-arrive-whole',
    ]),
    ends(
      'fails a run whose answer is empty',
      (outcome) => (outcome.status === 'completed' && outcome.text === '' ? { ...outcome, status: 'failed', error: new Error('The model gave no text.') } : outcome),
      ['lineage.ends-say-how-it-ended'],
    ),
  ],
  'failure.unfit-answer-is-a-failure': [
    {
      what: 'takes any JSON for an answer that fits',
      of: (adapter) => onTeam(adapter, (team) => ({ ...team, agents: team.agents.map((agent) => ({ ...agent, output: undefined })) })),
      alsoBreaks: ['context.no-silent-fallback'],
    },
    ends('completes a run whose answer does not fit', (outcome) => (/output schema/.test(messageOf(outcome.error)) ? { ...outcome, status: 'completed', text: '{}' } : outcome), [
      'lineage.ends-say-how-it-ended',
    ]),
  ],
  'failure.last-turn-is-no-answer': [
    ends('completes a run that used up its turns', (outcome) => (/gave no answer in/.test(messageOf(outcome.error)) ? { ...outcome, status: 'completed', text: '' } : outcome), [
      'lineage.ends-say-how-it-ended',
    ]),
    rewords('gives the empty text of its last turn where a sub-agent has used them up', (text) => text.includes('gave no answer in'), ''),
  ],
  'failure.of-a-part-is-told': [
    rewords('says of a composite only that it failed', (text, tool) => modelFailed(text) && isComposite(tool), 'The composite failed.'),
    { what: 'stops a sequence at the first part that fails', of: stoppingSequences },
  ],
  'failure.throwing-prompt-fails-its-part': [
    { what: 'makes all prompts of a composite before it starts a part', of: promptingAllAtOnce },
    { what: 'does not say why a prompt could not be made', of: (adapter) => onPrompts(adapter, (make) => orElse(make, () => fail('Bad prompt.'))) },
  ],
};

function rethrow(thrown: unknown): never {
  throw thrown;
}

function orElse<T>(attempt: () => T, otherwise: () => T): T {
  try {
    return attempt();
  } catch {
    return otherwise();
  }
}

function skipped(result: Result): Result {
  return failed(textOf(result)) ? result : { ...result, output: { type: 'text', value: 'Skipped.' } };
}

/** The results that a model is shown of the calls of its last turn. */
function lastResults({ prompt }: LanguageModelV4CallOptions): readonly Result[] {
  const last = prompt.at(-1);
  return last?.role === 'tool' ? last.content.filter((part) => part.type === 'tool-result') : [];
}

function failingWithCalls(adapter: MutableAdapter): Adapter {
  return asking(adapter, () => async (ask, options) => {
    const broken = lastResults(options).find((result) => failed(textOf(result)));
    if (broken) throw new Error(textOf(broken));
    return ask(options);
  });
}

/** An agent counts as failed once a call of its own has failed, whatever it answers then. */
function neverForgiving(adapter: MutableAdapter): Adapter {
  const shaken = new Set<Ref>();
  const text = 'A call of the sub-agent failed.';
  const isShaken = (result: Result): boolean => !isComposite(result.toolName) && [...shaken].some((ref) => isAnswerOf(textOf(result), ref));
  const watching = asking(adapter, () => {
    shaken.clear();
    return (ask, options) => {
      if (lastResults(options).some((result) => failed(textOf(result)))) shaken.add(taskOf(options));
      const prompt = options.prompt.map((message) =>
        retold(message, (results) => results.map((result) => (isShaken(result) ? { ...result, output: { type: 'text', value: text } } : result))),
      );
      return ask({ ...options, prompt });
    };
  });
  const lost = ({ status, text: answer = '' }: RunOutcome): boolean => status === 'completed' && [...shaken].some((ref) => parentOf(ref) === undefined && isAnswerOf(answer, ref));
  return running(watching, () => ({ after: (outcome) => (lost(outcome) ? { ...outcome, status: 'failed', error: new Error('A call of the agent failed.') } : outcome) }));
}

/** Keeps or drops the calls of a model's reply. */
function onCalls(adapter: MutableAdapter, keeps: (call: { readonly input: string }) => boolean): Adapter {
  return asking(adapter, () => async (ask, options) => {
    const reply = await ask(options);
    return { ...reply, content: reply.content.filter((part) => part.type !== 'tool-call' || keeps(part)) };
  });
}

function isJson(text: string): boolean {
  return orElse(
    () => (JSON.parse(text), true),
    () => false,
  );
}

/** Changes the team on its way to the runtime. */
function onTeam(adapter: Adapter, change: (team: Team) => Team): Adapter {
  return { ...adapter, delegation: (team, kit) => adapter.delegation(change(team), kit) };
}

/** Changes how the prompts of parts are made; those of a fan-out are made all at once. */
function onPrompts(adapter: Adapter, change: (make: () => string, all: (index: number) => string, index: number, input: string, spec: CompositeSpec) => string): Adapter {
  return onTeam(adapter, (team) => ({
    ...team,
    composites: team.composites.map((spec): CompositeSpec => {
      if (spec.kind === 'fanout') return spec;
      return {
        ...spec,
        prompt: (input, index) =>
          change(
            () => spec.prompt(input, index),
            (other) => spec.prompt(input, other),
            index,
            input,
            spec,
          ),
      };
    }),
  }));
}

function promptingAllAtOnce(adapter: MutableAdapter): Adapter {
  return onPrompts(adapter, (make, other, _, __, spec) => {
    if ('parts' in spec) for (const index of spec.parts.keys()) other(index);
    return make();
  });
}

/** A part of a sequence is skipped when the model of one before it failed. */
function stoppingSequences(adapter: MutableAdapter): Adapter {
  const broken = new Set<Ref>();
  const watching = asking(adapter, () => {
    broken.clear();
    return async (ask, options) => {
      try {
        return await ask(options);
      } catch (thrown) {
        broken.add(taskOf(options));
        throw thrown;
      }
    };
  });
  return onPrompts(watching, (make, _, index, input, { kind }) => {
    const before = Array.from({ length: index }, (__, part) => `${refIn(input)}/#${part}`);
    return kind === 'sequence' && before.some((part) => broken.has(part)) ? fail('Skipped.') : make();
  });
}
