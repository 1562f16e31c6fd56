import type { LanguageModelV4CallOptions, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import type { executor } from '../../spec/executor.ts';
import type { MutableAdapter } from '../../spec/model/parts.ts';
import type { Adapter, AgentSpec, Team } from '../../spec/model/ports.ts';
import type { CallRef } from '../../spec/model/ref.ts';
import { nameOf as nameOfCall } from '../instruments/scripted-model.ts';
import { asking, type Mutant, type MutantsOf } from '../mutant.ts';

type Id = (typeof executor)['requirements'][number]['id'];

/** A mutant that gives some agents other tools than their own. */
function equips(what: string, toolsOf: (agent: AgentSpec, team: Team) => AgentSpec['tools'], alsoBreaks: Mutant['alsoBreaks'] = []): Mutant {
  const equipped = (team: Team): Team => ({ ...team, agents: team.agents.map((agent) => ({ ...agent, tools: toolsOf(agent, team) })) });
  return { what, alsoBreaks, of: (adapter) => ({ ...adapter, delegation: (team, kit) => adapter.delegation(equipped(team), kit) }) };
}

/** An agent's own tools, and of others' those that it has none of that name of. */
const withThoseOf = (agent: AgentSpec, others: readonly AgentSpec[]): AgentSpec['tools'] => [
  ...new Map([...others, agent].flatMap(({ tools }) => tools.map((tool) => [tool.name, tool] as const))).values(),
];

const callersOf = ({ name }: AgentSpec, { agents }: Team): readonly AgentSpec[] => agents.filter((other) => other.name !== name && other.delegates.includes(name));
/** The agents that an agent delegates to, itself or by way of composites. */
const calleesOf = ({ name, delegates }: AgentSpec, { agents, composites }: Team): readonly AgentSpec[] => {
  const parts = composites.flatMap((spec) => (delegates.includes(spec.name) ? ('parts' in spec ? spec.parts : [spec.part]) : []));
  return agents.filter((other) => other.name !== name && [...delegates, ...parts].includes(other.name));
};
const rootOf = ({ agents, root }: Team): readonly AgentSpec[] => agents.filter(({ name }) => name === root);
const hasTools = ({ tools }: AgentSpec): boolean => tools.length > 0;
/** What breaks when tools go from one agent to another. */
const STRAYED = ['executor.offers-what-the-agent-has', 'executor.an-unknown-tool-is-told', 'executor.holds-under-another-model'] as const;

/** What breaks when an agent is started without what executes its tools. */
const HANDLESS = [
  'executor.offers-what-the-agent-has',
  'executor.holds-under-another-model',
  'executor.a-shared-name-is-not-a-shared-tool',
  'failure.harms-only-its-own-call',
] as const;

const isNear = ({ name }: AgentSpec, { agents, root }: Team): boolean => name === root || agents.some((other) => other.name === root && other.delegates.includes(name));

export const executorMutants: MutantsOf<Id> = {
  'executor.offers-what-the-agent-has': [
    offering('offers a sub-agent the tools of the first agent that was asked', (first, own) => [...own, ...first], [
      'executor.no-tools-means-none',
      'executor.holds-under-another-model',
    ]),
    offering('offers no more tools than it has sub-agents', (_, own) => own.filter((name) => name.startsWith('ask_')), ['executor.holds-under-another-model']),
  ],
  'executor.no-tools-means-none': [
    equips('gives an agent without tools those of its caller', (agent, team) => (hasTools(agent) ? agent.tools : withThoseOf(agent, callersOf(agent, team))), [
      'executor.an-unknown-tool-is-told',
      'executor.callers-tools-do-not-go-down',
    ]),
  ],
  'executor.a-shared-name-is-not-a-shared-tool': [
    equips(
      'keeps the tools of a team in one table: the last of a name wins',
      (agent, { agents }) => agent.tools.map((tool) => agents.flatMap(({ tools }) => tools).findLast(({ name }) => name === tool.name) ?? tool),
      ['executor.holds-under-another-model'],
    ),
    equips(
      "makes what executes tools once, of the root's",
      (agent, { agents, root }) => agent.tools.map((tool) => agents.find(({ name }) => name === root)?.tools.find(({ name }) => name === tool.name) ?? tool),
      ['executor.holds-under-another-model'],
    ),
  ],
  'executor.callers-tools-do-not-go-down': [
    equips('adds the tools of the agent that is run to all below it', (agent, team) => (hasTools(agent) ? withThoseOf(agent, rootOf(team)) : agent.tools), STRAYED),
  ],
  'executor.tools-below-do-not-come-up': [
    equips("merges the tools of a team into the coordinator's", (agent, team) => (hasTools(agent) ? withThoseOf(agent, calleesOf(agent, team)) : agent.tools), STRAYED),
  ],
  'executor.an-unknown-tool-is-told': [
    { what: 'fails an agent whose model calls a tool that it does not have', of: strictAboutTools },
    { what: 'says of a call of an unknown tool that it went well', of: (adapter) => toldOfUnknown(adapter, (call) => `Did ${call}.`) },
    { what: 'answers a call of an unknown tool with nothing', of: (adapter) => toldOfUnknown(adapter, () => '') },
  ],
  'executor.own-tools-work-everywhere': [
    equips('makes tools ready for the agent that is run and those it delegates to, and no further', (agent, team) => (isNear(agent, team) ? agent.tools : []), HANDLESS),
    equips('starts an agent that is not the root without what executes its tools', (agent, { root }) => (agent.name === root ? agent.tools : []), HANDLESS),
  ],
  'executor.holds-under-another-model': [
    equips('loses the tools of an agent that runs on another model', (agent) => (agent.overridden ? [] : agent.tools), [
      'executor.offers-what-the-agent-has',
      'executor.own-tools-work-everywhere',
    ]),
  ],
};

/** A mutant that changes the list of tools that models are offered; what executes them stays as it is. */
function offering(what: string, change: (first: readonly string[], own: readonly string[]) => readonly string[], alsoBreaks: Mutant['alsoBreaks'] = []): Mutant {
  const of = (adapter: MutableAdapter): Adapter =>
    asking(adapter, () => {
      let first: readonly Offer[] | undefined;
      return (ask, options) => {
        const own = options.tools ?? [];
        first ??= own;
        const known = new Map([...first, ...own].map((tool) => [tool.name, tool]));
        const names = change(first.map(nameOf), own.map(nameOf));
        return ask({ ...options, tools: [...new Set(names)].map((name) => known.get(name) as Offer) });
      };
    });
  return { what, alsoBreaks, of };
}

type Offer = NonNullable<LanguageModelV4CallOptions['tools']>[number];

const nameOf = ({ name }: Offer): string => name;

function strictAboutTools(adapter: MutableAdapter): Adapter {
  return asking(adapter, () => (ask, options) => {
    const offered = (options.tools ?? []).map(nameOf);
    const unknown = resultsIn(options.prompt).find(({ toolName }) => !offered.includes(toolName));
    if (unknown) throw new Error(`There is no tool ${unknown.toolName}.`);
    return ask(options);
  });
}

/** Changes what models are told of calls of tools that they were not offered. */
function toldOfUnknown(adapter: MutableAdapter, word: (call: CallRef) => string): Adapter {
  return asking(adapter, () => (ask, options) => {
    const offered = (options.tools ?? []).map(nameOf);
    const told = (part: LanguageModelV4ToolResultPart): LanguageModelV4ToolResultPart =>
      offered.includes(part.toolName) ? part : { ...part, output: { type: 'text', value: word(nameOfCall(part.toolCallId)) } };
    const prompt = options.prompt.map((message) =>
      message.role === 'tool' ? { ...message, content: message.content.map((part) => (part.type === 'tool-result' ? told(part) : part)) } : message,
    );
    return ask({ ...options, prompt });
  });
}

function resultsIn(prompt: LanguageModelV4Prompt): readonly LanguageModelV4ToolResultPart[] {
  return prompt.flatMap((message) => (message.role === 'tool' ? message.content.filter((part) => part.type === 'tool-result') : []));
}
