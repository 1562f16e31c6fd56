import { agentOf } from './model/kinship.ts';
import { agentTasksOf, callsOf, isOutOfReach, probeCalls, tasksOf } from './model/questions.ts';
import { callAt, doneWith, type CallRef, isAbove, type Ref } from './model/ref.ts';
import { chapter, every } from './model/requirement.ts';
import type { Scenario } from './model/scenario.ts';
import { delegatesOf, isToolOfTheKit, ownToolsOf, toolFor } from './model/tools.ts';
import { type Placed, seen, type Trace } from './model/trace.ts';

type Called = Placed<'probe-called'>;

const authorOf = (call: CallRef): Ref => call.slice(0, call.indexOf(':'));
const agentCalling = (scenario: Scenario, { call }: Pick<Called, 'call'>): string | undefined => agentOf(scenario, authorOf(call));

/** Calls of private tools, with who makes them. */
const privateCalls = (scenario: Scenario) => callsOf(scenario).flatMap(({ name, by, call }) => (call.kind === 'probe' && call.of !== undefined ? [{ name, by, of: call.of }] : []));
/** Somebody calls the private tool of an agent that stands to it in some way. */
const reaches = (scenario: Scenario, fits: (owner: Ref, caller: Ref) => boolean): boolean =>
  privateCalls(scenario).some(({ by, of }) => agentOf(scenario, by) !== of && agentTasksOf(scenario).some(({ ref, task }) => task.agent === of && fits(ref, by)));
const callsOutOfReach = (scenario: Scenario): boolean => callsOf(scenario).some(({ by, call }) => isOutOfReach(scenario, by, call));

/** Every call that hit a tool of another agent than the one that made it, whose place fits. */
const strayHits = (scenario: Scenario, trace: Trace, fits: (owner: Ref, caller: Ref) => boolean): readonly Called[] =>
  seen(trace, 'probe-called').filter(
    ({ call, owner }) => owner !== agentCalling(scenario, { call }) && agentTasksOf(scenario).some(({ ref, task }) => task.agent === owner && fits(ref, authorOf(call))),
  );

/** Judges calls of tools that are out of reach: none of them may hit one. */
function neverHit(scenario: Scenario, trace: Trace, fits: (owner: Ref, caller: Ref) => boolean) {
  const [hit] = strayHits(scenario, trace, fits).filter(({ call }) => isPrivateCall(scenario, call));
  if (hit) return { broken: `${hit.call} hit a tool of ${hit.owner}, which ${agentCalling(scenario, hit)} does not have`, at: hit.at };
  return every(
    seen(trace, 'model-replied').filter(({ task, reply }) => reply === 'calls' && privateCalls(scenario).some(({ by, of }) => by === task && agentOf(scenario, task) !== of)),
    () => false,
  );
}

function isPrivateCall(scenario: Scenario, call: CallRef): boolean {
  const made = callAt(scenario, call);
  return made?.kind === 'probe' && made.of !== undefined;
}

/** What is wrong with the tools that a model is offered. Tools that the runtime brings itself are its own affair. */
function misoffered(scenario: Scenario, { task, offered }: Placed<'model-asked'>): string | false {
  const agent = agentOf(scenario, task);
  if (agent === undefined || offered === null) return false;
  const due = [...ownToolsOf(scenario, agent), ...delegatesOf(scenario, agent).map(toolFor)];
  const [extra] = offered.filter((name) => isToolOfTheKit(name) && !due.includes(name));
  const [missing] = due.filter((name) => !offered.includes(name));
  if (extra !== undefined) return `the model of ${task} was offered ${extra}, which ${agent} does not have`;
  return missing !== undefined && `the model of ${task} was not offered ${missing}, which ${agent} has`;
}

const offers = (scenario: Scenario, trace: Trace, fits: (agent: string) => boolean) =>
  every(
    seen(trace, 'model-asked').filter(({ task, offered }) => offered !== null && fits(agentOf(scenario, task) ?? '')),
    (asked) => misoffered(scenario, asked),
  );

const hasNoTools = (scenario: Scenario, agent: string): boolean => scenario.agents?.[agent]?.tools === 'none';
const isOverridden = (scenario: Scenario, agent: string): boolean => scenario.agents?.[agent]?.model !== undefined;

export const executor = chapter(
  'executor',
  `Whose hands does an agent have? Its own: what executes its tool calls is made from its own definition, where it runs, and
goes no further. A coordinator's tools are not its sub-agents', for it delegates the task and not its keys; a sub-agent's are
not the coordinator's; and two agents that both have a tool of one name each have their own. An agent without tools has none,
whoever calls it. What a model is offered and what its calls hit are the same.`,
  [
    {
      id: 'executor.offers-what-the-agent-has',
      level: 'MUST',
      text: "An agent's model MUST be offered the tools of that agent and the sub-agents that it may delegate to, and no other agent's.",
      why: 'A model uses whatever it is offered, and cannot use what it is not.',
      source: 'seed 002, §4.3, the executor is derived at the leaf from the agent; in-process invariants 74 and 79',
      check: 'Is the list of tools made from the agent that runs, each time that one runs?',
      needs: [],
      when: (scenario) => agentTasksOf(scenario).length > 1,
      judge: (scenario, trace) => offers(scenario, trace, (agent) => !hasNoTools(scenario, agent)),
    },
    {
      id: 'executor.no-tools-means-none',
      level: 'MUST',
      text: 'An agent without tools MUST be offered none, and a call that its model makes all the same MUST NOT hit one.',
      why: 'A reviewer that was given no tools on purpose writes to the repository with those of its caller.',
      source: 'seed 002, §4.3, "a capability-less agent gets none"; in-process invariant 77',
      check: 'What does an agent without tools get: nothing, or what is in force around it?',
      needs: [],
      when: (scenario) => Object.values(scenario.agents ?? {}).some(({ tools }) => tools === 'none'),
      judge: (scenario, trace) => {
        const [hit] = seen(trace, 'probe-called').filter(({ call }) => hasNoTools(scenario, agentCalling(scenario, { call }) ?? ''));
        if (hit) return { broken: `${hit.call} hit a tool of ${hit.owner}; ${agentCalling(scenario, hit)} has none`, at: hit.at };
        return offers(scenario, trace, (agent) => hasNoTools(scenario, agent));
      },
    },
    {
      id: 'executor.a-shared-name-is-not-a-shared-tool',
      level: 'MUST',
      text: 'When two agents have a tool of the same name, the calls of each MUST hit its own.',
      why: 'Both have a tool "search", one of them over customer records.',
      source: 'seed 002, §4.3; in-process invariant 79, "two agents with a same-named tool, each hits its own"',
      check: 'Are tools looked up in one table for the whole team, where the last of a name wins?',
      needs: [],
      when: (scenario) => new Set(callsOf(scenario).flatMap(({ by, call }) => (call.kind === 'probe' && call.of === undefined ? [agentOf(scenario, by)] : []))).size > 1,
      judge: (scenario, trace) =>
        every(
          seen(trace, 'probe-called').filter(({ call }) => !isPrivateCall(scenario, call) && !hasNoTools(scenario, agentCalling(scenario, { call }) ?? '')),
          ({ call, owner }) => owner !== agentCalling(scenario, { call }) && `${call} hit the tool of ${owner}`,
        ),
    },
    {
      id: 'executor.callers-tools-do-not-go-down',
      level: 'MUST',
      text: "A sub-agent's calls MUST NOT hit the tools of an agent above it.",
      why: 'Whoever delegates to an untrusted sub-agent has then delegated its own permissions, too.',
      source: 'seed 002, §4.3, "never forwarded across the seam"; in-process invariant 75; field bug 57',
      check: 'Is what executes tools part of the context that crosses the delegation?',
      needs: [],
      when: (scenario) => reaches(scenario, isAbove),
      judge: (scenario, trace) => neverHit(scenario, trace, isAbove),
    },
    {
      id: 'executor.tools-below-do-not-come-up',
      level: 'MUST',
      text: "An agent's calls MUST NOT hit the tools of an agent that it delegates to.",
      why: 'A coordinator that can do the work of its sub-agents itself does, without their instructions and limits.',
      source: 'seed 002, §4.3, "nor the reverse"; in-process notes A5',
      check: "Are the tools of the team merged into the coordinator's own?",
      needs: [],
      when: (scenario) => reaches(scenario, (owner, caller) => isAbove(caller, owner)),
      judge: (scenario, trace) => neverHit(scenario, trace, (owner, caller) => isAbove(caller, owner)),
    },
    {
      id: 'executor.an-unknown-tool-is-told',
      level: 'MUST',
      text: 'A call of a tool that the agent does not have MUST be told as a failure to the model that made it, and the agent MUST go on.',
      why: 'Models invent tools. One that ends the run, or is answered with nothing, costs all that was done before.',
      source: 'in-process notes A9, "unknown name throws, message lists available names"; in-process invariant 84',
      check: 'Is an unknown name an error of that call, or an exception of the run?',
      needs: [],
      when: (scenario) => callsOutOfReach(scenario) && agentTasksOf(scenario).every(({ task }) => task.ending === 'answer'),
      judge: (scenario, trace) => {
        const results = new Map(seen(trace, 'model-asked').flatMap(({ results: its }) => its.map(({ call, text }) => [call, text] as const)));
        return every(unknownCalls(scenario, trace), ({ call }) => {
          const told = results.get(call);
          return (
            (told === undefined || told.trim() === '' || told.includes(doneWith(call))) &&
            `${call} is of a tool that nobody gave ${authorOf(call)}, and its model was ${told === undefined ? 'not asked again' : `told "${told}"`}`
          );
        });
      },
    },
    {
      id: 'executor.own-tools-work-everywhere',
      level: 'MUST',
      text: "A call of an agent's own tool MUST hit it, wherever the agent runs: at the root, in a composite, delegated to, at any depth.",
      why: '"No tool executor configured", says the sub-agent, and answers that the data is unavailable.',
      source: 'seed 002, §4.3; in-process invariant 74; in-process notes C, executor gap',
      check: 'Does every way to run an agent make its tools ready, or only the one from outside?',
      needs: [],
      when: (scenario) =>
        tasksOf(scenario).length > 1 && callsOf(scenario).some(({ by, call }) => call.kind === 'probe' && call.malformed === undefined && !isOutOfReach(scenario, by, call)),
      judge: (scenario, trace) => {
        const hit = new Set(seen(trace, 'probe-called').map(({ call }) => call));
        const results = seen(trace, 'model-asked').flatMap(({ results: its, at }) => its.map((result) => ({ ...result, at })));
        return every(
          results.filter(({ call }) => isOwnCall(scenario, call)),
          ({ call, text }) => !hit.has(call) && `${call} never hit the tool; its model was told "${text}"`,
        );
      },
    },
    {
      id: 'executor.holds-under-another-model',
      level: 'MUST',
      text: 'An agent that runs on another model than its own MUST have the same tools.',
      why: 'Somebody tries a cheaper model, and finds that it never calls a tool.',
      source: 'in-process invariant 82, "derived executor keeps working under a model override"',
      check: 'Is the view of an agent with another model still the agent, with all that it has?',
      needs: ['runners'],
      when: (scenario) => agentTasksOf(scenario).some(({ task }) => isOverridden(scenario, task.agent) && task.turns.length > 0),
      judge: (scenario, trace) => {
        const strange = probeCalls(trace).find(
          ({ task, call }) =>
            isOverridden(scenario, agentOf(scenario, task) ?? '') && seen(trace, 'probe-called').some((o) => o.call === call && o.owner !== agentOf(scenario, task)),
        );
        if (strange) return { broken: `${strange.call} hit the tool of another agent`, at: strange.at };
        return offers(scenario, trace, (agent) => isOverridden(scenario, agent));
      },
    },
  ],
);

/** Every call of a tool that its agent does not have, where the model made it. */
function unknownCalls(scenario: Scenario, trace: Trace): readonly { readonly call: CallRef; readonly at: number }[] {
  const made = callsOf(scenario).filter(({ by, call }) => isOutOfReach(scenario, by, call));
  return seen(trace, 'model-replied').flatMap(({ task, turn, at }) =>
    made.flatMap(({ name, by }) => (by === task && name.startsWith(`${task}:${turn}.`) ? [{ call: name, at }] : [])),
  );
}

/** Tells whether a call is a sound one of a tool that its agent has. */
function isOwnCall(scenario: Scenario, name: CallRef): boolean {
  const call = callAt(scenario, name);
  return call?.kind === 'probe' && call.malformed === undefined && !isOutOfReach(scenario, authorOf(name), call);
}
