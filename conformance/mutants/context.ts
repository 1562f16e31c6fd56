import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';
import type { context } from '../../spec/context.ts';
import type { Adapter, CompositeSpec, ProbeContext, RunInput, Team } from '../../spec/model/ports.ts';
import { type Ref, refIn } from '../../spec/model/ref.ts';
import { RUNNER_HEADER } from '../instruments/language-model.ts';
import { asking, handing, type Mutant, type MutantsOf, onInstruments, onTeam, type ProbeSite, running } from '../mutant.ts';
import { followComposites } from './composites.ts';

type Id = (typeof context)['requirements'][number]['id'];
type Kinds = readonly CompositeSpec['kind'][];

/** A mutant that changes what tools are handed in some places. `around` are the composites there, the innermost first. */
function hands(what: string, where: (around: Kinds, site: ProbeSite) => boolean, change: (given: ProbeContext) => ProbeContext, alsoBreaks: Mutant['alsoBreaks'] = []): Mutant {
  const of = (adapter: Adapter): Adapter => ({
    ...adapter,
    delegation: (whole, kit) => {
      const { team, around } = followComposites(whole);
      const kinds = (task: Ref): Kinds => around(task).map(({ kind }) => kind);
      return handing(adapter, () => (given, site) => (where(kinds(site.task), site) ? change(given) : given)).delegation(team, kit);
    },
  });
  return { what, alsoBreaks, of };
}

/** A request to a model, and what there is to decide on which runner it goes. */
interface Routed {
  /** The runner that it goes to in a correct runtime. */
  readonly runner: string | undefined;
  readonly own: string | undefined;
  readonly structured: boolean;
  readonly turn: number;
  readonly task: Ref;
  /** What each composite around names, the innermost first. */
  readonly around: readonly (string | undefined)[];
}

/** A mutant that asks models on other runners. `flaw` is made anew for each team. */
function routes(what: string, flaw: (team: Team) => (request: Routed) => string | undefined, alsoBreaks: Mutant['alsoBreaks'] = []): Mutant {
  const of = (adapter: Adapter): Adapter => ({
    ...adapter,
    delegation: (whole, kit) => {
      const { team, around } = followComposites(whole);
      const route = flaw(team);
      const routed = (options: LanguageModelV4CallOptions, agent: string): Routed => {
        const spec = team.agents.find(({ name }) => name === agent);
        const task = taskOf(options);
        return {
          runner: options.headers?.[RUNNER_HEADER],
          own: spec?.runner,
          structured: spec?.output !== undefined,
          turn: turnOf(options),
          task,
          around: around(task).map(({ runner }) => runner),
        };
      };
      return asking(adapter, () => (ask, options, agent) => ask({ ...options, headers: { [RUNNER_HEADER]: route(routed(options, agent)) } })).delegation(team, kit);
    },
  });
  return { what, alsoBreaks, of };
}

/** Routes only agents that answer in text and name no runner. */
const undecided = (route: (request: Routed) => string | undefined) => (request: Routed) => (request.structured || request.own ? request.runner : route(request));

function taskOf({ prompt }: LanguageModelV4CallOptions): Ref {
  const asked = prompt.findLast(({ role }) => role === 'user');
  return refIn(JSON.stringify(asked?.content)) ?? '';
}

const turnOf = ({ prompt }: LanguageModelV4CallOptions): number => prompt.filter(({ role }) => role === 'assistant').length;

/** A mutant that is told something else of its team. */
function remade(what: string, change: (team: Team) => Team, alsoBreaks: Mutant['alsoBreaks'] = []): Mutant {
  return { what, alsoBreaks, of: (adapter) => onTeam(adapter, change) };
}

/** A mutant that changes what its caller brought. */
function spoils(what: string, spoil: (input: RunInput) => void): Mutant {
  return { what, of: (adapter) => running(adapter, () => ({ before: (input) => (spoil(input), input) })) };
}

/** A mutant that asks some models with the wrong one of an agent's two. `flaw` is made anew for each team. */
function models(what: string, flaw: (team: Team) => (model: 'own' | 'override', options: LanguageModelV4CallOptions) => 'own' | 'override'): Mutant {
  const of = (adapter: Adapter): Adapter =>
    onInstruments(adapter, (kit, team) => {
      const choose = flaw(team);
      const choosing = (given: 'own' | 'override') => (agent: string) => {
        const right = (options: LanguageModelV4CallOptions) => (choose(given, options) === 'own' ? kit.model(agent) : kit.overridingModel(agent));
        const { specificationVersion, provider, modelId, supportedUrls } = kit.model(agent);
        return {
          specificationVersion,
          provider,
          modelId,
          supportedUrls,
          doGenerate: (options: LanguageModelV4CallOptions) => right(options).doGenerate(options),
          doStream: (options: LanguageModelV4CallOptions) => right(options).doStream(options),
        };
      };
      return { ...kit, model: choosing('own'), overridingModel: choosing('override') };
    });
  return { what, of };
}

const forks = ([kind]: Kinds): boolean => kind === 'parallel' || kind === 'fanout';
const nothing = ({ signal }: ProbeContext): ProbeContext => ({ signal });

export const contextMutants: MutantsOf<Id> = {
  'context.parts-are-given-what-the-composite-was': [
    hands(
      'starts parallel branches without a scratchpad',
      (around, { depth }) => depth === 0 && forks(around),
      (given) => ({ ...given, pad: undefined }),
      ['host.scratchpad-reaches-sub-agents'],
    ),
    hands(
      'hands the host value to the first of several parts only',
      ([kind], { task, depth }) => depth === 0 && kind !== undefined && !task.endsWith('#0'),
      (given) => ({ ...given, host: undefined }),
      ['host.same-value-at-every-call'],
    ),
    hands(
      'hands no dependencies to the parts of a composite',
      ([kind], { depth }) => depth === 0 && kind !== undefined,
      (given) => ({ ...given, dep: undefined }),
      ['host.deps-reach-sub-agents'],
    ),
  ],
  'context.composites-and-delegation-nest': [
    hands('starts a composite that is delegated to with a context of its own', ([kind], { depth }) => depth > 0 && kind !== undefined, nothing, [
      'host.reaches-sub-agents',
      'host.reaches-any-depth',
      'host.scratchpad-reaches-sub-agents',
      'host.deps-reach-sub-agents',
    ]),
    hands(
      'loses the host value where a part delegates',
      (_, { task }) => /#\d+\/\d/.test(task),
      (given) => ({ ...given, host: undefined }),
      ['host.reaches-sub-agents', 'host.reaches-any-depth'],
    ),
  ],
  'context.abort-reaches-parts': [
    hands(
      'does not hand the signal to tools of parts',
      ([kind]) => kind !== undefined,
      (given) => ({ ...given, signal: undefined }),
      [],
    ),
    {
      what: 'lets a composite go on to its end, and then says that it was cancelled',
      of: goingOn,
      alsoBreaks: ['lineage.ends-say-how-it-ended', 'cancellation.nothing-new-starts', 'cancellation.stops-model-calls', 'cancellation.reaches-sub-agents'],
    },
  ],
  'context.caller-keeps-what-it-brought': [
    spoils("binds a service of its own among the caller's dependencies", ({ deps }) => void (deps as Map<string, unknown>).set('runner', {})),
    spoils('fills in the limits that the caller left open', ({ limits }) => void (limits && Object.assign(limits, { depth: limits.depth ?? 16, steps: limits.steps ?? 1_000 }))),
    spoils('notes its own on the record that the caller gave', (input) => void Object.assign(input, { startedBy: 'the runtime' })),
  ],
  'context.concurrent-runs-of-a-composite-never-mix': [
    { what: 'keeps the answers of its parts on the composite', of: collectingAnswers },
    {
      what: 'gives whoever delegates to a composite what it came to last',
      of: answeringAgain,
      alsoBreaks: ['conversation.runs-start-anew', 'conversation.result-belongs-to-its-call'],
    },
  ],
  'context.own-runner-wins': [
    routes(
      "lets a composite's runner win over an agent's own",
      () =>
        ({ runner, structured, around }) =>
          structured ? runner : (around.find((named) => named) ?? runner),
    ),
    routes(
      "sends the first turn only to an agent's own runner",
      () =>
        ({ runner, own, structured, turn }) =>
          own && !structured && turn > 0 ? undefined : runner,
    ),
  ],
  'context.nearest-runner-wins': [
    routes('lets the outermost composite decide', () => undecided(({ runner, around }) => around.findLast((named) => named) ?? runner)),
    routes('takes a runner to the direct parts only', () => undecided(({ runner, around }) => (around[0] ? runner : undefined))),
    routes('takes a runner to the first part only', () => undecided(({ runner, task }) => (task.endsWith('#0') ? runner : undefined))),
  ],
  'context.runner-stays-in-its-part': [
    routes('leaves a runner set when its composite is over', () => {
      let last: string | undefined;
      return undecided(({ runner }) => (last = runner ?? last));
    }),
    routes('takes a runner that somebody names for that of the team', ({ agents, composites }) =>
      undecided(({ runner }) => runner ?? [...agents, ...composites].find((spec) => spec.runner)?.runner),
    ),
  ],
  'context.structured-answers-ask-the-same-runner': [
    routes(
      'asks for structured answers on the runner of the whole',
      () =>
        ({ runner, structured }) =>
          structured ? undefined : runner,
    ),
    routes(
      "lets a composite's runner win where an agent answers in a structure",
      () =>
        ({ runner, structured, around }) =>
          structured ? (around.find((named) => named) ?? runner) : runner,
    ),
  ],
  'context.no-silent-fallback': [
    remade('asks for text where the runner has no structured output', (team) => ({
      ...team,
      agents: team.agents.map((agent) => (agent.output && isOnPlain(team, agent.name) ? { ...agent, output: undefined } : agent)),
    })),
    remade('falls back on the runner of the whole where an agent names one without structured output', (team) => ({
      ...team,
      agents: team.agents.map((agent) => (agent.output && agent.runner === 'plain' ? { ...agent, runner: undefined } : agent)),
    })),
  ],
  'context.model-override-holds-on-any-runner': [
    models(
      'takes the agent as it was defined where a runner is named',
      () =>
        (model, { headers }) =>
          headers?.[RUNNER_HEADER] ? 'own' : model,
    ),
    models('overrides the model in the first turn only', () => (model, options) => (turnOf(options) > 0 ? 'own' : model)),
  ],
  'context.model-override-changes-no-other-agent': [
    models('overrides the model of everybody who comes after', () => {
      let latest: 'own' | 'override' = 'own';
      return (model) => (latest = model === 'override' ? model : latest);
    }),
  ],
};

/** Tells whether an agent may come to run on the plain runner. */
function isOnPlain({ agents, composites }: Team, name: string): boolean {
  const contains = (spec: CompositeSpec): boolean => partsOf(spec).some((part) => part === name || composites.some((inner) => inner.name === part && contains(inner)));
  return agents.some((agent) => agent.name === name && agent.runner === 'plain') || composites.some((spec) => spec.runner === 'plain' && contains(spec));
}

function partsOf(spec: CompositeSpec): readonly string[] {
  return 'parts' in spec ? spec.parts : [spec.part];
}

/** Puts a flaw only into teams of some kind. */
function where(fits: (team: Team) => boolean, adapter: Adapter, flawed: Adapter): Adapter {
  return { ...adapter, delegation: (team, kit) => (fits(team) ? flawed : adapter).delegation(team, kit) };
}

function goingOn(adapter: Adapter): Adapter {
  const deaf: Adapter = {
    ...adapter,
    delegation: async (team, kit) => {
      const run = await adapter.delegation(team, kit);
      return async (input) => {
        const outcome = await run({ ...input, signal: new AbortController().signal });
        return input.signal.aborted ? { status: 'cancelled', error: input.signal.reason, usage: outcome.usage } : outcome;
      };
    },
  };
  return where(({ composites }) => composites.length > 0, adapter, deaf);
}

function collectingAnswers(adapter: Adapter): Adapter {
  const collecting = running(adapter, () => {
    const answers: string[] = [];
    return { after: (outcome) => (outcome.text === undefined ? outcome : (answers.push(outcome.text), { ...outcome, text: answers.join('\n') })) };
  });
  return where(({ root, composites }) => composites.some(({ name }) => name === root), adapter, collecting);
}

function answeringAgain(adapter: Adapter): Adapter {
  return asking(adapter, ({ composites }) => {
    const latest = new Map<string, unknown>();
    const results = new Map<string, unknown>();
    const retold = (message: LanguageModelV4Message): LanguageModelV4Message =>
      message.role !== 'tool'
        ? message
        : {
            ...message,
            content: message.content.map((part) => {
              if (part.type !== 'tool-result' || !composites.some(({ name }) => part.toolName.endsWith(name))) return part;
              if (!results.has(part.toolCallId)) results.set(part.toolCallId, latest.get(part.toolName) ?? part.output);
              latest.set(part.toolName, part.output);
              return { ...part, output: results.get(part.toolCallId) as typeof part.output };
            }),
          };
    return (ask, options) => ask({ ...options, prompt: options.prompt.map(retold) });
  });
}
