import { agentOf } from './model/kinship.ts';
import { agentTasksOf, callsOf, type Delegation, delegationsOf, hasOwnLimits, recurses, runsSmoothly, settlementsOf, startsOf } from './model/questions.ts';
import { ancestorsOf, type Ref, runOf } from './model/ref.ts';
import { chapter, every } from './model/requirement.ts';
import type { Limits, Scenario } from './model/scenario.ts';
import { seen, type Trace } from './model/trace.ts';

/** Tells whether exactly these kinds of limits are set for the run, and none by an agent. */
function limitedBy(scenario: Scenario, ...kinds: readonly (keyof Limits)[]): boolean {
  return (
    scenario.runs.length === 1 &&
    !hasOwnLimits(scenario) &&
    Object.keys(scenario.limits ?? {})
      .sort()
      .join() === [...kinds].sort().join()
  );
}

const delegates = (scenario: Scenario): boolean => callsOf(scenario).some(({ call }) => call.kind !== 'probe');
const limit = (scenario: Scenario, kind: keyof Limits): number => scenario.limits?.[kind] ?? Number.POSITIVE_INFINITY;

/** Nobody delegates more than once, so the scenario goes down one way only. */
const isChain = (scenario: Scenario): boolean => agentTasksOf(scenario).every(({ task }) => task.turns.flat().filter(({ kind }) => kind !== 'probe').length <= 1);
/** Somebody hands on the task of an agent further up, so the chain comes by another agent before it repeats. */
const isCycle = (scenario: Scenario): boolean => callsOf(scenario).some(({ call }) => call.kind === 'recurse' && call.up > 1);
const nobodyFails = (scenario: Scenario): boolean => agentTasksOf(scenario).every(({ task }) => task.ending !== 'fail');

/** Every delegation that goes deeper than the run's limit. */
const tooDeep = (scenario: Scenario, trace: Trace): readonly Delegation[] => delegationsOf(scenario, trace).filter(({ depth }) => depth > limit(scenario, 'depth'));
const deepEnough = (scenario: Scenario, trace: Trace): readonly Delegation[] => delegationsOf(scenario, trace).filter(({ depth }) => depth <= limit(scenario, 'depth'));

/** Every activation that took place, with its agent, in order. */
function activations(scenario: Scenario, trace: Trace): readonly { readonly ref: Ref; readonly agent: string | undefined; readonly at: number }[] {
  return [...startsOf(trace)].map(([ref, at]) => ({ ref, agent: agentOf(scenario, ref), at }));
}

/** The agents from the root to an activation: what a chain has to name. */
const chainTo = (scenario: Scenario, ref: Ref): readonly string[] => [...ancestorsOf(ref), ref].flatMap((place) => agentOf(scenario, place) ?? []);

const passedOver = ({ callee }: Delegation): string => `${callee} was let through`;
const refusedTooSoon = ({ call, result }: Delegation): string => `${call} was refused ("${result?.text}")`;

export const recursion = chapter(
  'recursion',
  `An agent that can delegate can delegate to itself, directly or round a corner. Nothing in a prompt stops that; a guard
does. It counts three things apart: how deep a chain of delegations goes, how often one agent is activated in a run, and how
many activations a run has in all. The root is at depth 0; with a depth limit of 2 a chain may delegate twice, and the
third delegation is refused before anything of the child exists. Refusal is news for the agent that asked: it is told why,
and everything else goes on. The root's activation counts as a visit and as a step.`,
  [
    {
      id: 'recursion.default-limit-exists',
      level: 'MUST',
      text: 'A run whose caller set no limit MUST still stop agents that delegate without end.',
      why: 'One confused model opened 612 nested sessions in 73 minutes.',
      source: 'seed 001, "explicit limits"; field bugs 18, 21, 23, 24',
      check: 'What happens when a caller passes no limits at all? This kit gives up 128 delegations deep.',
      needs: [],
      when: (scenario) => recurses(scenario) && !scenario.limits && !hasOwnLimits(scenario),
      judge: (scenario, trace) => {
        const [runaway] = seen(trace, 'runaway');
        if (runaway) return { broken: 'the agents delegated without end; the kit had to stop them', at: runaway.at };
        return delegationsOf(scenario, trace).length > 0 ? 'kept' : 'unexercised';
      },
    },
    {
      id: 'recursion.depth-limit-is-exact',
      level: 'MUST',
      text: 'With a depth limit of D, exactly D delegations below the root MUST run, and the next MUST be refused.',
      why: 'Off by one, and a team that works at its designed depth fails, or goes one level deeper than anyone budgeted for.',
      source: 'seed 001, "exceeding max_depth fails"; graph invariants 43 and 44',
      check: 'Is the root counted? Here it is at depth 0. Is it > or >=?',
      needs: ['limits'],
      when: (scenario) => limitedBy(scenario, 'depth') && delegates(scenario) && isChain(scenario) && !isCycle(scenario),
      judge: (scenario, trace) =>
        every(delegationsOf(scenario, trace), (d) =>
          d.depth <= limit(scenario, 'depth')
            ? d.refused && `${refusedTooSoon(d)} at depth ${d.depth} of ${limit(scenario, 'depth')}`
            : d.answered && `${passedOver(d)} at depth ${d.depth}, over the limit of ${limit(scenario, 'depth')}`,
        ),
    },
    {
      id: 'recursion.guard-survives-hops',
      level: 'MUST',
      text: 'The guard MUST travel with the chain of delegations: passing through another agent MUST NOT reset it.',
      why: 'A and B hand a task back and forth for ever, each within its own limit.',
      source: 'seed 001, "an agent node calls another agent that calls back"; graph invariant 48; field bugs 20, 21',
      check: 'Is the depth kept with the run of one agent, or with the chain that led to it?',
      needs: ['limits'],
      when: (scenario) => limitedBy(scenario, 'depth') && isCycle(scenario),
      judge: (scenario, trace) => every(tooDeep(scenario, trace), (d) => d.answered && `${passedOver(d)} at depth ${d.depth}, over the limit of ${limit(scenario, 'depth')}`),
    },
    {
      id: 'recursion.error-tells-limit-depth-and-chain',
      level: 'MUST',
      text: 'The error that the delegating agent is told MUST name the limit, the depth, and the agents of the chain in order.',
      why: 'A bare "tool failed" makes the model try again, and the engineer read logs.',
      source: 'seed 001, "a clear graph recursion error"; graph invariant 45; field bug 21, "model told why"',
      check: "Is the guard's error passed on to the model with its message, or replaced by a general one?",
      needs: ['limits'],
      when: (scenario) => (['depth', 'visits', 'steps'] as const).some((kind) => limitedBy(scenario, kind)) && delegates(scenario),
      judge: (scenario, trace) =>
        every(
          delegationsOf(scenario, trace).filter(({ refused, depth }) => refused && (scenario.limits?.depth ?? 0) < depth),
          (d) => saysTooLittle(scenario, d),
        ),
    },
    {
      id: 'recursion.refused-before-the-child-exists',
      level: 'MUST',
      text: "A delegation over the limit MUST be refused before the sub-agent's model is asked anything.",
      why: 'Every refused child has cost a session, a model call and its side effects already.',
      source: 'field bug 18, "refused before a child exists"; graph invariant 44, "before any of its nodes run"',
      check: 'Is the limit checked where the child is called, or somewhere inside the child?',
      needs: ['limits'],
      when: (scenario) => limitedBy(scenario, 'depth') && delegates(scenario) && nobodyFails(scenario),
      judge: (scenario, trace) =>
        every(
          tooDeep(scenario, trace).filter(({ answered }) => !answered),
          ({ callee, startedAt }) => startedAt !== undefined && `the model of ${callee} was asked, and only then refused`,
        ),
    },
    {
      id: 'recursion.a-hit-harms-its-own-branch-only',
      level: 'MUST',
      text: 'A refused delegation MUST be told to the agent that asked for it as the result of its call, and everything else MUST go on.',
      why: 'One branch that digs too deep takes the work of all others with it.',
      source: 'seed 001, Recursion rules; graph invariant 46; graph notes, "limit hit escaped as a fatal error instead of a tool error"',
      check: 'Does the error become the result of that one call, or does it end the run?',
      needs: ['limits'],
      when: (scenario) => limitedBy(scenario, 'depth') && delegates(scenario) && nobodyFails(scenario) && (recurses(scenario) || runsSmoothly(scenario)),
      judge: (scenario, trace) => {
        const stopped = tooDeep(scenario, trace).filter(({ depth }) => depth === limit(scenario, 'depth') + 1);
        if (stopped.length === 0) return 'unexercised';
        const untold = every(stopped, ({ call, result }) => result === undefined && `${call} was over the limit, and the agent that asked was told nothing`);
        if (typeof untold === 'object') return untold;
        return every(settlementsOf(trace), ({ status }) => status !== 'completed' && `the whole run ended as ${status}`);
      },
    },
    {
      id: 'recursion.frames-are-popped',
      level: 'MUST',
      text: 'A call that is over, however it ended, and a call beside it MUST NOT count towards the depth of another.',
      why: 'After a few failures a healthy team is told that it is too deep.',
      source: 'seed 001, "every return pops the frame"; graph invariants 46, 47, 49 and X22',
      check: 'Is there one counter that calls increment and, on some way out, do not decrement?',
      needs: ['limits'],
      when: (scenario) => limitedBy(scenario, 'depth') && delegates(scenario) && !isChain(scenario),
      judge: (scenario, trace) => every(deepEnough(scenario, trace), (d) => d.refused && `${refusedTooSoon(d)} at depth ${d.depth} of ${limit(scenario, 'depth')}`),
    },
    {
      id: 'recursion.visits-are-counted-per-agent',
      level: 'MUST',
      text: 'With a visit limit of V, each agent MUST be activated exactly V times in a run, and more MUST be refused.',
      why: 'A router that never converges calls the same worker until the budget is gone.',
      source: 'seed 001, max_visits_per_node; graph invariants 51, 52 and 53',
      check: 'Is there a count for each agent, for the whole run, that every activation increments?',
      needs: ['limits'],
      when: (scenario) => limitedBy(scenario, 'visits') && delegates(scenario),
      judge: (scenario, trace) => {
        const started = activations(scenario, trace);
        const visits = (agent: string | undefined): typeof started => started.filter((activation) => activation.agent === agent);
        return every(delegationsOf(scenario, trace), (d) => {
          const agent = agentOf(scenario, d.callee);
          const its = visits(agent);
          if (its.length > limit(scenario, 'visits')) return `${agent} was activated ${its.length} times, over the limit of ${limit(scenario, 'visits')}`;
          return (
            d.refused && its.length < limit(scenario, 'visits') && `${refusedTooSoon(d)}, although ${agent} was activated only ${its.length} times of ${limit(scenario, 'visits')}`
          );
        });
      },
    },
    {
      id: 'recursion.steps-are-counted-over-the-tree',
      level: 'MUST',
      text: 'With a step limit of N, a run MUST have exactly N activations in all its branches together, and more MUST be refused.',
      why: 'A tree that is neither deep nor repetitive can still be endlessly wide.',
      source: 'seed 001, max_total_steps; graph invariant 54',
      check: 'Do all branches of a run share one count, or does each start from what it inherited?',
      needs: ['limits'],
      when: (scenario) => limitedBy(scenario, 'steps') && delegates(scenario),
      judge: (scenario, trace) => {
        const steps = activations(scenario, trace).length;
        return every(delegationsOf(scenario, trace), (d) => {
          if (steps > limit(scenario, 'steps')) return `the run had ${steps} activations, over the limit of ${limit(scenario, 'steps')}`;
          return d.refused && steps < limit(scenario, 'steps') && `${refusedTooSoon(d)}, although the run had only ${steps} activations of ${limit(scenario, 'steps')}`;
        });
      },
    },
    {
      id: 'recursion.counts-are-kept-apart',
      level: 'MUST',
      text: 'Depth, visits and steps MUST be counted apart, and for each run alone: using one up MUST NOT use up another.',
      why: 'Ten calls one after the other are taken for a chain ten deep, or one customer is refused for what another did.',
      source: 'seed 001, "node-loop recursion and graph-call recursion are tracked separately"; graph invariant 50; in-process invariant 72',
      check: 'Is one number compared with several limits? Is a count kept on something that runs share?',
      needs: ['limits'],
      when: (scenario) => !hasOwnLimits(scenario) && !!scenario.limits && delegates(scenario) && (scenario.runs.length > 1 || Object.keys(scenario.limits).length > 1),
      judge: (scenario, trace) => {
        const started = activations(scenario, trace);
        return every(delegationsOf(scenario, trace), (d) => {
          const its = started.filter(({ ref }) => runOf(ref) === runOf(d.by));
          const visits = its.filter(({ agent }) => agent === agentOf(scenario, d.callee)).length;
          const allowed = d.depth <= limit(scenario, 'depth') && visits < limit(scenario, 'visits') && its.length < limit(scenario, 'steps');
          return d.refused && allowed && `${refusedTooSoon(d)}, although none of the limits was reached: depth ${d.depth}, ${visits} visits, ${its.length} steps`;
        });
      },
    },
    {
      id: 'recursion.limits-only-narrow',
      level: 'MUST',
      text: "An agent's own depth limit MUST narrow the one it inherits, below itself, and MUST NOT widen it or reach its siblings.",
      why: 'A sub-agent from a library brings a lax limit and the strict one of its caller is gone.',
      source: 'graph notes A8, "a strict parent does not bind a lax child"; graph invariant 56',
      check: 'Is the smaller of the inherited and the own limit taken, or the own one?',
      needs: ['limits'],
      when: (scenario) =>
        scenario.runs.length === 1 &&
        scenario.limits?.depth !== undefined &&
        Object.values(scenario.agents ?? {}).some(({ limits }) => limits?.depth !== undefined) &&
        delegates(scenario) &&
        nobodyFails(scenario),
      judge: (scenario, trace) =>
        every(delegationsOf(scenario, trace), (d) => {
          const bound = narrowest(scenario, d.by);
          if (d.answered && d.depth > bound) return `${passedOver(d)} at depth ${d.depth}, over the narrowest limit above it, ${bound}`;
          return d.refused && d.depth <= narrowest(scenario, d.callee) && `${refusedTooSoon(d)} at depth ${d.depth}, within every limit above it`;
        }),
    },
  ],
);

/** The smallest depth limit that holds at an activation: the run's, and those of the agents on the way. */
function narrowest(scenario: Scenario, ref: Ref): number {
  return Math.min(limit(scenario, 'depth'), ...chainTo(scenario, ref).map((agent) => scenario.agents?.[agent]?.limits?.depth ?? Number.POSITIVE_INFINITY));
}

/** What the text of a refusal leaves out. The depth may be told as the one refused or as the one reached. */
function saysTooLittle(scenario: Scenario, { callee, call, depth, result }: Delegation): string | false {
  const text = result?.text ?? '';
  const numbers = (text.match(/\d+/g) ?? []).map(Number);
  const [bound] = Object.values(scenario.limits ?? {}) as [number];
  if (!numbers.includes(bound)) return `the refusal of ${call} does not name the limit, ${bound}: "${text}"`;
  if (![depth, depth - 1].some((told) => numbers.filter((n) => n === told).length > (told === bound ? 1 : 0)))
    return `the refusal of ${call} does not name the depth, ${depth}: "${text}"`;
  let from = 0;
  for (const agent of chainTo(scenario, callee)) {
    const found = text.indexOf(agent, from);
    if (found < 0) return `the refusal of ${call} does not name the chain ${chainTo(scenario, callee).join(', ')}: "${text}"`;
    from = found + agent.length;
  }
  return false;
}
