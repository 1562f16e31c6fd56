import { agentOf } from './model/kinship.ts';
import { aborts, agentTasksOf, type Delegation, delegationsOf, opsOf, type ProbeCall, probeCalls, settlementsOf, spanOf, tasksOf } from './model/questions.ts';
import { callTo, isAbove, parentOf, type Ref, runOf, scriptOf } from './model/ref.ts';
import { chapter, every } from './model/requirement.ts';
import { ownRunner, runnerFor, runnersAround } from './model/runners.ts';
import type { AgentSettings, Scenario } from './model/scenario.ts';
import { type Placed, seen, type Trace } from './model/trace.ts';

type Ask = Placed<'model-asked'>;

const isPart = (ref: Ref): boolean => parentOf(ref) !== undefined && callTo(ref) === undefined;
const isBelowComposite = (ref: Ref): boolean => ref.includes('#');
const hasComposites = (scenario: Scenario): boolean => tasksOf(scenario).some(({ task }) => task.kind !== 'agent');
/** One caller, who brings something, and nothing was there before. */
const brings = (scenario: Scenario): boolean => scenario.runs.length === 1 && !scenario.built && scenario.host !== 'none';

/** What an agent's definition says. */
const settingsOf = (scenario: Scenario, ref: Ref): AgentSettings => scenario.agents?.[agentOf(scenario, ref) ?? ''] ?? {};
const isStructured = (scenario: Scenario, ref: Ref): boolean => settingsOf(scenario, ref).output !== undefined;
/** The agents' tasks that can be carried out: an agent that has to answer in a structure cannot on a runner that has none. */
const isAble = (scenario: Scenario, ref: Ref): boolean => !(isStructured(scenario, ref) && runnerFor(scenario, ref) === 'plain');
const someAgent = (scenario: Scenario, fits: (ref: Ref) => boolean): boolean => agentTasksOf(scenario).some(({ ref }) => fits(ref));

/** Every request to the model of an agent that fits. */
const asks = (trace: Trace, fits: (ref: Ref) => boolean): readonly Ask[] => seen(trace, 'model-asked').filter(({ task }) => fits(task));
const named = (runner: string | null): string => (runner === null ? 'no runner that anybody named' : `runner ${runner}`);

/** Tells that an agent is asked on another runner than the one that it is to run on. */
const strays = (scenario: Scenario, { task, runner }: Ask): string | false => {
  const right = runnerFor(scenario, task) ?? null;
  return runner !== right && `the model of ${task} was asked on ${named(runner)}, and is to be asked on ${named(right)}`;
};

export const context = chapter(
  'context',
  `Composites are code: a sequence, branches at the same time, a fan-out over items, a loop. Nobody talks to them; they hand
on. What a composite was given, each of its parts is given: the caller's value, the dependencies, the state, the signal
that stops it all, and the runner. A runner is what asks an agent's model. Most agents do not care which one it is; one
that names its own gets that, else the composite around it decides, the nearest first, else whoever runs the whole. Which
model is asked is another question, and the two do not get in each other's way. All of this is handed down and never up
or across: what holds in a part does not hold beside it, nor for the caller, nor for another run of the same composite.`,
  [
    {
      id: 'context.parts-are-given-what-the-composite-was',
      level: 'MUST',
      text: 'Every tool call of a part of a composite MUST be handed the host value, the dependencies and the scratchpad that the composite was given.',
      why: 'A pipeline works as long as its steps are run alone, and put together one step finds no tenant, no client or no state.',
      source: 'seed 000, "Composites … propagate it to children"; in-process invariants 18, 19 and 101',
      check: 'Does each kind of composite hand its whole context on, or a new one with the fields that somebody thought of?',
      needs: ['composites', 'host', 'deps', 'scratchpad'],
      when: (scenario) => brings(scenario) && opsOf(scenario).some(({ by, depth }) => depth === 0 && isPart(by)),
      judge: (_, trace) =>
        every(
          probeCalls(trace).filter(({ task, depth }) => depth === 0 && isPart(task)),
          lost,
        ),
    },
    {
      id: 'context.composites-and-delegation-nest',
      level: 'MUST',
      text: 'The same MUST hold for the parts of a composite that is delegated to, and for sub-agents of parts, however the two nest.',
      why: 'Each of the two hand-overs is tested alone; the second one after the first starts from what the first left out.',
      source: 'seed 000, "it flows to every subagent with no wiring"; in-process invariants 31, 32 and 51',
      check: 'Is a composite behind a tool started like an agent behind a tool?',
      needs: ['composites', 'host', 'deps', 'scratchpad'],
      when: (scenario) => brings(scenario) && opsOf(scenario).some(({ by, depth }) => depth > 0 && isBelowComposite(by)),
      judge: (_, trace) =>
        every(
          probeCalls(trace).filter(({ task, depth }) => depth > 0 && isBelowComposite(task)),
          lost,
        ),
    },
    {
      id: 'context.abort-reaches-parts',
      level: 'MUST',
      text: 'When the caller aborts, tool calls of parts that are under way MUST be stopped, and no part that comes after them MUST begin.',
      why: 'The user presses stop, and the pipeline goes through the rest of its steps.',
      source: 'issue "context": composites hand the abort signal to each child; graph invariant 38; field bugs 59 and 61',
      check: 'Is the signal handed to each part? Is it looked at before the next part, and before the next round of a loop?',
      needs: ['composites', 'abort'],
      when: (scenario) => aborts(scenario) && hasComposites(scenario),
      judge: (scenario, trace) =>
        every(
          seen(trace, 'run-aborted').flatMap((abort) => [...callsUnderWay(trace, abort), ...partsAfter(scenario, trace, abort)]),
          ({ flaw }) => flaw,
        ),
    },
    {
      id: 'context.caller-keeps-what-it-brought',
      level: 'MUST',
      text: 'A run MUST NOT change what its caller brought: neither the dependencies, nor the limits, nor the record that holds them.',
      why: 'The second run of a caller who keeps its options starts with what was left in them by the first.',
      source: 'in-process invariant 9, "the caller\'s ctx object is not mutated"; in-process invariant 97',
      check: 'Are defaults filled in, or services added, on the object of the caller instead of on a copy?',
      needs: [],
      when: () => true,
      judge: (_, trace) => {
        const [change] = seen(trace, 'caller-changed');
        if (change) return { broken: `${change.what} of the caller of run ${change.run}: not what it was before the run`, at: change.at };
        return settlementsOf(trace).length > 0 ? 'kept' : 'unexercised';
      },
    },
    {
      id: 'context.concurrent-runs-of-a-composite-never-mix',
      level: 'MUST',
      text: 'An answer that a part gave in one run of a composite MUST NOT be in what comes of another run of it that goes on at the same time.',
      why: "One customer's report has a paragraph from another customer's.",
      source: 'in-process invariant 72, "two concurrent runs of one composite instance do not share state"',
      check: 'Are outputs, counters or accumulators kept on the composite instead of in its run?',
      needs: ['composites'],
      when: (scenario) => scenario.runs.length > 1 && !scenario.inTurn && hasComposites(scenario),
      judge: (_, trace) => every([...settlementsOf(trace).map(({ run, text, at }) => ({ run, texts: [text], at })), ...toldResults(trace)], mixed),
    },
    {
      id: 'context.own-runner-wins',
      level: 'MUST',
      text: 'An agent that names a runner MUST run on that one, whatever the composites around it name.',
      why: 'The one step that needs a particular provider is sent to the one that everything else is sent to.',
      source: 'seed 000, "resolve const runner = this.spec.runner ?? ctx.runner"; in-process invariants 1, 6 and 11',
      check: "Is the agent's own runner asked for first, and in every turn?",
      needs: ['runners'],
      when: (scenario) => someAgent(scenario, (ref) => namesItsOwn(scenario, ref)),
      judge: (scenario, trace) =>
        every(
          asks(trace, (ref) => namesItsOwn(scenario, ref)),
          (ask) => strays(scenario, ask),
        ),
    },
    {
      id: 'context.nearest-runner-wins',
      level: 'MUST',
      text: 'An agent that names no runner MUST run on the one of the nearest composite around it that names one.',
      why: 'Half of a pipeline runs where it was told to, or a step that was moved on purpose is moved back by whoever is further out.',
      source: 'seed 000, "returns a Node running inner.run(input, { ...ctx, runner })"; in-process invariants 5 and 7',
      check: 'Does the runner reach every part, also through composites that name none? Does an inner one replace an outer one?',
      needs: ['runners', 'composites'],
      when: (scenario) => someAgent(scenario, (ref) => leavesItToComposites(scenario, ref)),
      judge: (scenario, trace) =>
        every(
          asks(trace, (ref) => leavesItToComposites(scenario, ref)),
          (ask) => strays(scenario, ask),
        ),
    },
    {
      id: 'context.runner-stays-in-its-part',
      level: 'MUST',
      text: 'A runner that an agent or a composite names MUST NOT be used for anything beside it, before it or after it.',
      why: 'After the one step that was sent elsewhere, everything is sent elsewhere: to the wrong account, or to the wrong country.',
      source: 'in-process invariants 6 and 8; in-process invariant 9, "ctx mutated in place"',
      check: 'Is the runner set on a context that parts share, and set back when the part is over?',
      needs: ['runners'],
      when: (scenario) => namesRunners(scenario) && someAgent(scenario, (ref) => isLeftAlone(scenario, ref)),
      judge: (scenario, trace) =>
        every(
          asks(trace, (ref) => isLeftAlone(scenario, ref)),
          (ask) => strays(scenario, ask),
        ),
    },
    {
      id: 'context.structured-answers-ask-the-same-runner',
      level: 'MUST',
      text: 'An agent that answers in a structure MUST run on the same runner on which it would run if it answered in text.',
      why: 'The runner was threaded through the path that everybody tests; the other path asks the default provider.',
      source: 'seed 000, "route the run / runStructured calls through it"; in-process invariants 2 and 22',
      check: 'Is the runner resolved once for both ways of asking?',
      needs: ['runners', 'structured'],
      when: (scenario) => namesRunners(scenario) && someAgent(scenario, (ref) => knowsItsStructuredRunner(scenario, ref)),
      judge: (scenario, trace) =>
        every(
          asks(trace, (ref) => knowsItsStructuredRunner(scenario, ref)),
          (ask) => strays(scenario, ask),
        ),
    },
    {
      id: 'context.no-silent-fallback',
      level: 'MUST',
      text: 'An agent that answers in a structure MUST fail on a runner that has no structured output, without its model being asked in any other way.',
      why: 'Text comes back where a structure was promised, or the request went to a runner that the team was kept away from on purpose.',
      source: 'in-process invariant 4, "or silently falls back to text"; issue "context": no silent fallback when the resolved runner lacks structured output',
      check: 'Is it the resolved runner that is checked? Is there a default to fall back on?',
      needs: ['runners', 'structured'],
      when: (scenario) => someAgent(scenario, (ref) => !isAble(scenario, ref)),
      judge: (scenario, trace) => every(unableTurns(scenario, trace), ({ flaw }) => flaw),
    },
    {
      id: 'context.model-override-holds-on-any-runner',
      level: 'MUST',
      text: 'An agent whose model is overridden MUST be asked by the overriding model in every turn, on whatever runner it runs.',
      why: 'The cheap model that a step was given is forgotten as soon as somebody moves the step.',
      source: 'seed 000, "a per-node runner override and the existing per-node model override are orthogonal"; in-process invariant 14',
      check: 'Does a runner of its own take the agent as it was defined, or as the step changed it?',
      needs: ['runners'],
      when: (scenario) => someAgent(scenario, (ref) => isOverridden(scenario, ref)),
      judge: (scenario, trace) =>
        every(
          asks(trace, (ref) => isOverridden(scenario, ref)),
          ({ task, model }) => model !== 'override' && `${task} was asked by the model of its definition, which is overridden`,
        ),
    },
    {
      id: 'context.model-override-changes-no-other-agent',
      level: 'MUST',
      text: "Overriding one agent's model MUST NOT change which model another agent is asked by.",
      why: 'The expensive agent beside it is quietly made a cheap one.',
      source: 'in-process invariants 14, "original agent unchanged", and 16',
      check: 'Is the model changed on an agent, or on something that agents or runs share?',
      needs: ['runners'],
      when: (scenario) => someAgent(scenario, (ref) => isOverridden(scenario, ref)) && someAgent(scenario, (ref) => !isOverridden(scenario, ref) && isAble(scenario, ref)),
      judge: (scenario, trace) =>
        every(
          asks(trace, (ref) => settingsOf(scenario, ref).model === undefined),
          ({ task, model }) => model === 'override' && `${task} was asked by a model that overrides another agent's`,
        ),
    },
  ],
);

/** Tells what of the things that a caller brings did not arrive at a tool call. */
function lost({ call, host, op, saw }: ProbeCall): string | false {
  if (host === 'none' || host === 'foreign') return `${call} was handed ${host === 'none' ? 'no host value' : 'a different host value'}`;
  if (op.kind === 'dep' && op.key === 'clock' && !(saw.kind === 'dependency' && saw.origin === 'own')) return `${call} did not find the dependency that the caller bound`;
  return (saw.kind === 'no-scratchpad' || ((op.kind === 'append' || op.kind === 'read') && saw.kind === 'error')) && `${call} found no scratchpad that works`;
}

interface Aftermath {
  readonly at: number;
  readonly flaw: string | false;
}

/** What became of the tool calls of parts that were waiting when the run was aborted. */
function callsUnderWay(trace: Trace, abort: Placed<'run-aborted'>): readonly Aftermath[] {
  const stopped = new Map(seen(trace, 'probe-stopped').map(({ call, at }) => [call, at]));
  const acted = new Map(seen(trace, 'probe-acted').map(({ call, at }) => [call, at]));
  const over = (call: string): number | undefined => stopped.get(call) ?? acted.get(call);
  return seen(trace, 'probe-called')
    .filter(({ call, at }) => runOf(call) === abort.run && isBelowComposite(call) && at < abort.at && (over(call) ?? Number.POSITIVE_INFINITY) > abort.at)
    .map(({ call, at }) => ({ at: acted.get(call) ?? at, flaw: !stopped.has(call) && `${call} was under way when the caller aborted, and was not stopped` }));
}

/** What became of the parts whose turn came only after the run was aborted: those after a part that was not over by then. */
function partsAfter(scenario: Scenario, trace: Trace, abort: Placed<'run-aborted'>): readonly Aftermath[] {
  return tasksOf(scenario).flatMap(({ ref }): Aftermath[] => {
    const before = partBefore(scenario, ref);
    if (before === undefined || runOf(ref) !== abort.run || !wasUnderWay(scenario, trace, before, abort.at)) return [];
    const begun = seen(trace, 'model-replied').find(({ task }) => task === ref || isAbove(ref, task));
    return [{ at: begun?.at ?? abort.at, flaw: begun !== undefined && `${ref} began after the caller aborted` }];
  });
}

/** Tells whether a part had begun by then, and was not over. */
function wasUnderWay(scenario: Scenario, trace: Trace, ref: Ref, then: number): boolean {
  const [first, last] = spanOf(trace, ref) ?? [];
  if (first === undefined || last === undefined || first > then) return false;
  const isOver = seen(trace, 'model-replied').some(({ task, reply, at }) => task === ref && reply !== 'calls' && at < then);
  return last > then || (scriptOf(scenario, ref)?.kind === 'agent' && !isOver);
}

/** The part that has to be over before this one begins. */
function partBefore(scenario: Scenario, ref: Ref): Ref | undefined {
  const composite = parentOf(ref);
  const kind = composite === undefined ? undefined : scriptOf(scenario, composite)?.kind;
  if ((kind !== 'sequence' && kind !== 'loop') || !isPart(ref)) return undefined;
  const cut = ref.lastIndexOf('#') + 1;
  const index = Number(ref.slice(cut));
  return index === 0 ? undefined : `${ref.slice(0, cut)}${index - 1}`;
}

interface Told {
  readonly run: number;
  readonly texts: readonly string[];
  readonly at: number;
}

/** What the delegating models were told in each turn. */
function toldResults(trace: Trace): readonly Told[] {
  return seen(trace, 'model-asked').flatMap(({ task, results, at }) => (results.length > 0 ? [{ run: runOf(task), texts: results.map(({ text }) => text), at }] : []));
}

function mixed({ run, texts }: Told): string | false {
  const foreign = texts.flatMap((text) => [...text.matchAll(/\bDone with (r\d+\S*)\./g)].map((match) => match[1] as string)).find((ref) => runOf(ref) !== run);
  return foreign !== undefined && `run ${run} was given the answer to ${foreign}, which is of another run`;
}

const namesRunners = (scenario: Scenario): boolean =>
  tasksOf(scenario).some(({ task }) => task.kind !== 'agent' && task.runner !== undefined) || someAgent(scenario, (ref) => ownRunner(scenario, ref) !== undefined);
const answersInText = (scenario: Scenario, ref: Ref): boolean => !isStructured(scenario, ref);
const namesItsOwn = (scenario: Scenario, ref: Ref): boolean => answersInText(scenario, ref) && ownRunner(scenario, ref) !== undefined;
const leavesItToComposites = (scenario: Scenario, ref: Ref): boolean =>
  answersInText(scenario, ref) && ownRunner(scenario, ref) === undefined && runnersAround(scenario, ref).length > 0;
const isLeftAlone = (scenario: Scenario, ref: Ref): boolean => answersInText(scenario, ref) && runnerFor(scenario, ref) === null;
const knowsItsStructuredRunner = (scenario: Scenario, ref: Ref): boolean => isStructured(scenario, ref) && isAble(scenario, ref) && runnerFor(scenario, ref) !== undefined;
const isOverridden = (scenario: Scenario, ref: Ref): boolean => isAble(scenario, ref) && settingsOf(scenario, ref).model === 'override';

/** What became of each agent whose turn came and who cannot answer on its runner. */
function unableTurns(scenario: Scenario, trace: Trace): readonly Aftermath[] {
  const isUnable = (ref: Ref): boolean => scriptOf(scenario, ref)?.kind === 'agent' && !isAble(scenario, ref);
  const asked = asks(trace, isUnable).map(({ task, at, runner, format }) => ({
    at,
    flaw: `the model of ${task} was asked for ${format === 'json' ? 'JSON' : 'text'} on ${named(runner)}, and its runner has no structured output`,
  }));
  const delegated = delegationsOf(scenario, trace).filter(({ callee }) => isUnable(callee));
  const roots = settlementsOf(trace).filter(({ run }) => isUnable(`r${run}`));
  const parts = settlementsOf(trace).filter(({ run }) => agentTasksOf(scenario).some(({ ref }) => isPart(ref) && isUnable(ref) && runOf(ref) === run));
  return [
    ...asked,
    ...delegated.flatMap((delegation) => (delegation.result ? [{ at: delegation.result.at, flaw: pretended(delegation) }] : [])),
    ...roots.map(({ run, status, at }) => ({ at, flaw: status !== 'failed' && `run ${run} ended as ${status}, although its agent cannot answer on its runner` })),
    ...parts.map(({ at }) => ({ at, flaw: false as const })),
  ];
}

function pretended({ call, result }: Delegation): string | false {
  return (result?.text.trim() ?? '') === '' && `${call} ended with nothing, and not with the reason why it cannot be answered`;
}
