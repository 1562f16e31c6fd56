import { onInstruments, onTeam, running } from '../../conformance/mutant.ts';
import type { Adapter, ModelMessage, RunInput, RunOutcome, RunTeam, RuntimeEvent } from '../../spec/model/ports.ts';
import { answerOf } from '../../spec/model/ref.ts';
import second from './second.ts';
import { quietly } from './storyteller.ts';

/** A runtime that does one thing for show, and the chapters in which it must not be certified for that. */
export interface HalfLiar {
  readonly adapter: Adapter;
  readonly about: readonly string[];
}

/** Runtimes that are honest but for one thing. */
export const halfLiars: Readonly<Record<string, HalfLiar>> = {
  'streams nothing': { about: ['conversation'], adapter: running(second, () => ({ after: (outcome) => ({ ...outcome, streamed: '' }) })) },
  'answers for sub-agents that failed': {
    about: ['failure'],
    adapter: onInstruments(second, (kit) => ({ ...kit, reply: (request) => kit.reply({ ...request, messages: request.messages.map(embellished) }) })),
  },
  'takes any text for a structure': {
    about: ['context', 'failure'],
    adapter: onTeam(second, (team) => ({ ...team, agents: team.agents.map((agent) => ({ ...agent, output: undefined })) })),
  },
  'tells all events when all is over': { about: ['lineage'], adapter: { ...second, delegation: async (team, kit) => tellingAfterwards(await second.delegation(team, kit)) } },
  'has time limits and no clock': { about: ['cancellation'], adapter: onInstruments(second, (kit) => ({ ...kit, clock: { setTimeout: () => () => {} } })) },
  'ends whoever is late, and lets their models go on': {
    about: ['cancellation'],
    adapter: onInstruments(second, (kit) => ({ ...kit, reply: ({ signal, ...request }) => Promise.race([kit.reply(request), rejectedBy(signal)]) })),
  },
  'says at once that it is cancelled while the work goes on': {
    about: ['cancellation', 'context'],
    adapter: { ...second, delegation: async (team, kit) => leavingAtOnce(await second.delegation(team, kit)) },
  },
};

/** A conversation in which every sub-agent that failed has answered. */
function embellished(message: ModelMessage): ModelMessage {
  if (message.role !== 'tool') return message;
  return { ...message, results: message.results.map(({ id, text }) => ({ id, text: text.replace(/^Failed: The model failed on (.*)\.$/s, (_, ref: string) => answerOf(ref)) })) };
}

function tellingAfterwards(run: RunTeam): RunTeam {
  return async (input: RunInput) => {
    const events: RuntimeEvent[] = [];
    const outcome = await run({ ...input, onEvent: (event) => void events.push(event) });
    events.forEach(quietly(input.onEvent));
    return outcome;
  };
}

/** Does not tell those who do the work that nobody waits for it any more. */
function leavingAtOnce(run: RunTeam): RunTeam {
  return (input: RunInput) => {
    const left = rejectedBy(input.signal).catch((error: unknown): RunOutcome => ({ status: 'cancelled', error }));
    return Promise.race([run({ ...input, signal: new AbortController().signal }), left]);
  };
}

/** Waits until a signal is aborted. @throws its reason */
function rejectedBy(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const leave = (): void => reject(signal?.reason);
    if (signal?.aborted) leave();
    else signal?.addEventListener('abort', leave);
  });
}
