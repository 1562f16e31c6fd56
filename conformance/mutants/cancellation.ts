import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { cancellation } from '../../spec/cancellation.ts';
import type { MutableAdapter } from '../../spec/model/parts.ts';
import type { Adapter, Clock, RunInput, RunOutcome } from '../../spec/model/ports.ts';
import { depthOf, type Ref, refIn, runOf } from '../../spec/model/ref.ts';
import { causesOf } from '../instruments/failure.ts';
import { asking, handing, type Mutant, type MutantsOf, onInstruments, onProbes, running, taskOf } from '../mutant.ts';
import { rewords } from './results.ts';

type Id = (typeof cancellation)['requirements'][number]['id'];

/** A mutant that hands no signal to some models and some tools. */
function deaf(what: string, where: (task: Ref) => boolean, to: 'models' | 'tools' | 'both', alsoBreaks: Mutant['alsoBreaks'] = []): Mutant {
  const models = (adapter: Adapter): Adapter => asking(adapter, () => (ask, options) => ask(where(taskOf(options)) ? withSignal(options, undefined) : options));
  const tools = (adapter: Adapter): Adapter =>
    handing(
      adapter,
      () =>
        (context, { task }) =>
          where(task) ? { ...context, signal: undefined } : context,
    );
  return { what, alsoBreaks, of: (adapter) => (to === 'models' ? models(adapter) : to === 'tools' ? tools(adapter) : tools(models(adapter))) };
}

/** A mutant that says something else of how a run ended. */
function ends(what: string, change: (outcome: RunOutcome) => RunOutcome, alsoBreaks: Mutant['alsoBreaks'] = []): Mutant {
  return { what, alsoBreaks, of: (adapter) => running(adapter, () => ({ after: change })) };
}

const isPart = (task: Ref): boolean => task.includes('#');
const atRoot = (task: Ref): boolean => depthOf(task) === 0 && !isPart(task);
const below =
  (least: number) =>
  (task: Ref): boolean =>
    depthOf(task) >= least && !isPart(task);

const isCancelled = ({ status }: RunOutcome): boolean => status === 'cancelled';

export const cancellationMutants: MutantsOf<Id> = {
  'cancellation.stops-model-calls': [
    deaf('does not hand the signal to the model', atRoot, 'models'),
    deaf('does not hand the signal to the models of parts', (task) => isPart(task) && depthOf(task) === 0, 'models'),
  ],
  'cancellation.stops-tools': [deaf('does not hand the signal to tools', atRoot, 'tools')],
  'cancellation.reaches-sub-agents': [
    deaf('starts a sub-agent without the signal', below(1), 'both', ['cancellation.timeout-stops-the-work']),
    deaf('loses the signal on the second delegation', below(2), 'both', ['cancellation.timeout-stops-the-work']),
    deaf("hands the signal to a sub-agent's tools, and not to its model", below(1), 'models', ['cancellation.timeout-stops-the-work']),
  ],
  'cancellation.nothing-new-starts': [
    {
      what: 'goes on with its turns after an abort, and tells tools only of it',
      of: (adapter) => hearing(adapter, 'tools', unheeding),
      alsoBreaks: [
        'lineage.ends-say-how-it-ended',
        'cancellation.stops-model-calls',
        'cancellation.reaches-sub-agents',
        'cancellation.nothing-outlives-its-run',
        'context.abort-reaches-parts',
      ],
    },
    {
      what: 'begins a run although it is aborted',
      of: (adapter) => around(adapter, () => (run, input) => (input.signal.aborted ? unheeding(run, input) : run(input))),
      alsoBreaks: ['lineage.ends-say-how-it-ended'],
    },
  ],
  'cancellation.is-no-success': [
    ends('completes a run that was aborted, with what there is', (outcome) => (isCancelled(outcome) ? { ...outcome, status: 'completed', text: '' } : outcome), [
      'lineage.ends-say-how-it-ended',
    ]),
    {
      what: 'tells the model of an abort as of a tool that failed, and goes on to an answer',
      of: (adapter) => hearing(adapter, 'tools', (run, input) => run({ ...input, signal: unheard() })),
      alsoBreaks: [
        'context.abort-reaches-parts',
        'cancellation.nothing-new-starts',
        'cancellation.stops-model-calls',
        'cancellation.stops-tools',
        'cancellation.reaches-sub-agents',
      ],
    },
  ],
  'cancellation.is-no-failure': [
    ends('takes a run that was aborted for one that failed', (outcome) => (isCancelled(outcome) ? { ...outcome, status: 'failed' } : outcome), ['lineage.ends-say-how-it-ended']),
  ],
  'cancellation.keeps-its-cause': [
    ends('says that a run was aborted, and not why', (outcome) => (isCancelled(outcome) ? { ...outcome, error: new Error('The run was aborted.') } : outcome)),
    ends("keeps the words of the caller's reason, and not the reason", (outcome) => (isCancelled(outcome) ? { ...outcome, error: new Error(String(outcome.error)) } : outcome)),
  ],
  'cancellation.nothing-outlives-its-run': [
    {
      what: 'ends a run at once when it is aborted, and leaves what is under way',
      of: leaving,
      alsoBreaks: [
        'cancellation.nothing-new-starts',
        'usage.cancelled-children-count',
        'lineage.every-run-is-told-to-end-once',
        'lineage.tool-calls-are-told-in-pairs',
        'lineage.ends-say-how-it-ended',
        'context.abort-reaches-parts',
      ],
    },
  ],
  'cancellation.abort-shaped-error-is-an-error': [
    ends('takes every AbortError for a cancellation', (outcome) => (looksAborted(outcome.error) ? { ...outcome, status: 'cancelled' } : outcome), [
      'lineage.ends-say-how-it-ended',
    ]),
    {
      what: "cancels the whole run when a sub-agent's model throws an AbortError",
      of: cancellingByShape,
      alsoBreaks: [
        'failure.outcome-is-how-it-ended',
        'failure.any-length-is-an-answer',
        'failure.ends-the-run-as-failed',
        'conversation.a-run-ends-with-its-roots-answer',
        'lineage.ends-say-how-it-ended',
      ],
    },
  ],
  'cancellation.other-runs-go-on': [{ what: 'keeps one controller for all runs of a team', of: sharingAController, alsoBreaks: ['conversation.a-run-can-follow-a-cancelled-one'] }],
  'cancellation.timeout-stops-the-work': [
    { what: "hands on the caller's signal only, not that of a time limit", of: (adapter) => untimed(adapter, 'goes on') },
    {
      what: 'stops waiting for a sub-agent when its time is up, and lets it go on',
      of: (adapter) => untimed(adapter, 'is over'),
      alsoBreaks: ['cancellation.nothing-outlives-its-run'],
    },
  ],
  'cancellation.timeout-is-told': [rewords('gives an empty answer where the time of a sub-agent is up', (text) => text.includes('it took longer than'), '')],
  'cancellation.timeout-harms-nobody-else': [
    { what: 'lets the time of all be up with that of the first', of: (adapter) => whenTimeIsUp(adapter, allDue) },
    { what: 'aborts the run when the time of a sub-agent is up', of: abortingOnTimeout, alsoBreaks: ['cancellation.timeout-is-told', 'lineage.ends-say-how-it-ended'] },
  ],
};

function withSignal({ abortSignal: _, ...options }: LanguageModelV4CallOptions, signal: AbortSignal | undefined): LanguageModelV4CallOptions {
  return signal ? { ...options, abortSignal: signal } : options;
}

function either(...signals: readonly (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

function looksAborted(error: unknown): boolean {
  return causesOf(error).some((cause) => cause instanceof Error && cause.name === 'AbortError');
}

function cancelled(reason: unknown, outcome: Omit<RunOutcome, 'status'> = {}): RunOutcome {
  return { ...outcome, status: 'cancelled', error: new Error('The run was aborted.', { cause: reason }) };
}

type Run = (input: RunInput) => Promise<RunOutcome>;

/** Puts something around each run of a team. `make` is called anew for each team, so it may remember. */
function around(adapter: Adapter, make: () => (run: Run, input: RunInput) => Promise<RunOutcome>): Adapter {
  return {
    ...adapter,
    delegation: async (team, kit) => {
      const change = make();
      const run = await adapter.delegation(team, kit);
      return (input) => change(run, input);
    },
  };
}

const unheard = (): AbortSignal => new AbortController().signal;

/** Has a run go on under a signal that nobody aborts, and says in the end what the caller's signal would have it say. */
async function unheeding(run: Run, input: RunInput): Promise<RunOutcome> {
  const outcome = await run({ ...input, signal: unheard() });
  return input.signal.aborted && outcome.status !== 'cancelled' ? cancelled(input.signal.reason, outcome) : outcome;
}

/** Hands the callers' signals to tools, and to models if they are to hear too, besides the one that the runtime hands on. */
function hearing(adapter: Adapter, who: 'tools' | 'everybody', go: (run: Run, input: RunInput) => Promise<RunOutcome>): Adapter {
  const signals = new Map<number, AbortSignal>();
  const tools = handing(adapter, () => (context, { run }) => ({ ...context, signal: either(signals.get(run), context.signal) }));
  const all = asking(tools, () => (ask, options) => ask(withSignal(options, either(signals.get(runOf(taskOf(options))), options.abortSignal))));
  return around(who === 'tools' ? tools : all, () => (run, input) => {
    signals.set(runOf(refIn(input.prompt) ?? ''), input.signal);
    return go(run, input);
  });
}

function leaving(adapter: MutableAdapter): Adapter {
  return around(adapter, () => (run, input) => {
    const { signal } = input;
    if (signal.aborted) return run(input);
    const gone = new Promise<RunOutcome>((resolve) => signal.addEventListener('abort', () => resolve(cancelled(signal.reason)), { once: true }));
    return Promise.race([run({ ...input, signal: unheard() }), gone]);
  });
}

function cancellingByShape(adapter: MutableAdapter): Adapter {
  const shaped = new Set<number>();
  const watching = asking(adapter, () => {
    shaped.clear();
    return async (ask, options) => {
      try {
        return await ask(options);
      } catch (thrown) {
        if (looksAborted(thrown) && depthOf(taskOf(options)) > 0) shaped.add(runOf(taskOf(options)));
        throw thrown;
      }
    };
  });
  return around(watching, () => async (run, input) => {
    const outcome = await run(input);
    return shaped.has(runOf(refIn(input.prompt) ?? '')) ? cancelled(new Error('A model was aborted.'), outcome) : outcome;
  });
}

function sharingAController(adapter: MutableAdapter): Adapter {
  return around(adapter, () => {
    const shared = new AbortController();
    return (run, input) => {
      const { signal } = input;
      const stop = (): void => shared.abort(signal.reason);
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
      return run({ ...input, signal: shared.signal });
    };
  });
}

/** Work hears of the caller's abort only. Where the time of a sub-agent is up, it is given up, or not even that. */
function untimed(adapter: MutableAdapter, waiting: 'goes on' | 'is over'): Adapter {
  const models = asking(adapter, () => (ask, options) => untilUp(options.abortSignal, waiting, (signal) => ask(withSignal(options, signal))));
  return onProbes(models, () => (call) => (input, context) => untilUp(context.signal, waiting, (signal) => call(input, { ...context, signal })));
}

async function untilUp<T>(given: AbortSignal | undefined, waiting: 'goes on' | 'is over', work: (signal: AbortSignal | undefined) => PromiseLike<T>): Promise<T> {
  if (!given) return work(given);
  const own = new AbortController();
  const up = new Promise<never>((_, reject) => {
    const stop = (): void => {
      if (!isTimeout(given.reason)) own.abort(given.reason);
      else if (waiting === 'is over') reject(given.reason);
    };
    if (given.aborted) stop();
    else given.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([work(own.signal), up]);
}

function isTimeout(reason: unknown): boolean {
  return typeof reason === 'object' && reason !== null && 'code' in reason && reason.code === 'timeout';
}

/** Does something more whenever a timer of the runtime's is due. It is given all that wait. */
function whenTimeIsUp(adapter: Adapter, more: (waiting: ReadonlySet<() => void>) => void): Adapter {
  return onInstruments(adapter, (kit) => {
    const waiting = new Set<() => void>();
    const setTimeout: Clock['setTimeout'] = (callback, ms) => {
      const cancel = kit.clock.setTimeout(() => {
        waiting.delete(callback);
        callback();
        more(waiting);
      }, ms);
      waiting.add(callback);
      return () => (waiting.delete(callback), cancel());
    };
    return { ...kit, clock: { setTimeout } };
  });
}

function allDue(waiting: ReadonlySet<() => void>): void {
  for (const due of waiting) due();
}

function abortingOnTimeout(adapter: MutableAdapter): Adapter {
  const underWay = new Set<AbortController>();
  const timed = whenTimeIsUp(adapter, () => {
    for (const controller of underWay) controller.abort(new Error('A sub-agent took too long.'));
  });
  return around(timed, () => (run, input) => {
    const own = new AbortController();
    underWay.add(own);
    return run({ ...input, signal: AbortSignal.any([input.signal, own.signal]) }).finally(() => underWay.delete(own));
  });
}
