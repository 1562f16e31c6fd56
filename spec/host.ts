import { type ProbeCall, opsOf, probeCalls } from './model/questions.ts';
import { chapter, every } from './model/requirement.ts';
import type { DependencyName, HostKind, Scenario } from './model/scenario.ts';
import { seen, type Trace } from './model/trace.ts';

/** One run of a team that was built with nothing in it, and the caller hands it a plain record. */
const plainly = (scenario: Scenario): boolean => scenario.runs.length === 1 && scenario.host === 'record' && !scenario.built;
const oneRun = (scenario: Scenario): boolean => scenario.runs.length === 1 && !scenario.built;
const probesAt = (scenario: Scenario, fits: (depth: number) => boolean): boolean => opsOf(scenario).some(({ depth }) => fits(depth));
const asksFor = (scenario: Scenario, ...keys: readonly DependencyName[]): boolean => opsOf(scenario).some(({ op }) => op.kind === 'dep' && keys.includes(op.key));
const handles = (scenario: Scenario, ...kinds: readonly HostKind[]): boolean => kinds.includes(scenario.host);

/** Every probe call at some depth; the host value is judged when the call arrives. */
const arrivals = (trace: Trace, fits: (depth: number) => boolean): readonly ProbeCall[] =>
  probeCalls(trace).flatMap((probe) => (fits(probe.depth) ? [{ ...probe, at: probe.calledAt }] : []));
const lookups = (trace: Trace, ...keys: readonly DependencyName[]): readonly ProbeCall[] => probeCalls(trace).filter(({ op }) => op.kind === 'dep' && keys.includes(op.key));
const padCalls = (trace: Trace): readonly ProbeCall[] => probeCalls(trace).filter(({ op }) => op.kind === 'append' || op.kind === 'read');

const strange = ({ call, host }: ProbeCall): string | false =>
  (host === 'none' || host === 'foreign' || host === 'built') && `${call} was handed ${host === 'none' ? 'no host value' : 'a different host value'}`;

export const host = chapter(
  'host',
  `A caller hands a run more than words: a value of its own (a tenant, a connection, a request), named dependencies, a
scratchpad. The model never sees them; the tools need them. They meet a wall where the runner calls a tool, and a second
one where that tool is another agent. What the caller gave has to arrive on the far side of both: the same thing, not a
copy of it, however deep, and never somebody else's. The runtime carries it; what it means is the host's business.`,
  [
    {
      id: 'host.same-value-at-every-call',
      level: 'MUST',
      text: 'Every tool call of the agent that is run MUST be handed the very host value that the caller gave, in every turn.',
      why: 'A tool that gets a copy, or gets the value only in the first turn, works in the demo and reads stale state in production.',
      source: 'seed 000, "The fix — Design A: ride the same rail via an opaque passthrough"; in-process invariant 19',
      check: 'Is the value handed on by reference in every iteration of the model-and-tool loop, for each of several calls of one turn?',
      needs: ['host'],
      when: (scenario) => plainly(scenario) && probesAt(scenario, (depth) => depth === 0),
      judge: (_, trace) =>
        every(
          arrivals(trace, (depth) => depth === 0),
          strange,
        ),
    },
    {
      id: 'host.reaches-sub-agents',
      level: 'MUST',
      text: "A sub-agent's tool calls MUST be handed the very host value that the caller of the run gave.",
      why: 'The sub-agent runs without its tenant or its session: it fails, or it works for the wrong one.',
      source: 'seed 000, #99; field bugs 1, 2, 3, 5',
      check: 'Does the tool that delegates pass on what it was handed, in the same shape, when it starts the sub-agent?',
      needs: ['host'],
      when: (scenario) => oneRun(scenario) && scenario.host !== 'none' && probesAt(scenario, (depth) => depth === 1),
      judge: (_, trace) =>
        every(
          arrivals(trace, (depth) => depth === 1),
          strange,
        ),
    },
    {
      id: 'host.reaches-any-depth',
      level: 'MUST',
      text: 'The host value MUST reach the tool calls of sub-agents of sub-agents, at any depth.',
      why: 'A runtime that carries it across one delegation often rebuilds the context there, and the second hop starts with nothing.',
      source: 'seed 000, "it flows to every subagent with no wiring"; in-process invariants 31 and 32; field bug 1',
      check: 'Does a sub-agent start its own delegations with what it was handed, or with a context that it made?',
      needs: ['host'],
      when: (scenario) => oneRun(scenario) && scenario.host !== 'none' && probesAt(scenario, (depth) => depth >= 2),
      judge: (_, trace) =>
        every(
          arrivals(trace, (depth) => depth >= 2),
          strange,
        ),
    },
    {
      id: 'host.is-opaque',
      level: 'MUST',
      text: 'The runtime MUST hand on a host value of any kind as it is, and MUST NOT read, change, copy or freeze it.',
      why: 'A value that is cloned, serialised or merged loses its identity, its methods, and its open connections.',
      source: 'seed 000, "host-declared passthrough; core never interprets it"; in-process invariant 21',
      check: 'Is the value spread, cloned, serialised, validated or checked for its type anywhere on its way?',
      needs: ['host'],
      when: (scenario) => oneRun(scenario) && handles(scenario, 'frozen', 'function', 'symbol', 'tripwire') && opsOf(scenario).length > 0,
      judge: (_, trace) => {
        const [touch] = seen(trace, 'host-touched');
        if (touch) return { broken: `the runtime looked inside the host value: it ${touch.how}`, at: touch.at };
        return every(
          arrivals(trace, (depth) => depth === 0),
          strange,
        );
      },
    },
    {
      id: 'host.none-is-invented',
      level: 'SHOULD',
      text: 'When the caller gives no host value, tool calls SHOULD be handed none.',
      why: 'A default that looks like a value hides from a tool that its caller forgot to give one.',
      source: 'in-process invariant 20',
      check: 'Is there a default such as an empty object where the host value is taken from the options?',
      needs: ['host'],
      when: (scenario) => oneRun(scenario) && handles(scenario, 'none') && opsOf(scenario).length > 0,
      judge: (_, trace) =>
        every(
          arrivals(trace, () => true),
          ({ call, host: given }) => given !== 'none' && `${call} was handed a host value that nobody gave`,
        ),
    },
    {
      id: 'host.scratchpad-reaches-sub-agents',
      level: 'MUST',
      text: 'Every tool call MUST be handed a scratchpad, also in a sub-agent at any depth.',
      why: 'Sub-agents that cannot see the shared state do the same work again, or answer without what was found.',
      source: 'seed 000, #99 "the caller\'s scratchpad reaches every subagent"; in-process invariants 18 and 32',
      check: "Is the scratchpad among the things that cross from the runner to the tool, and from the tool to the sub-agent's run?",
      needs: ['scratchpad'],
      when: (scenario) => opsOf(scenario).some(({ op }) => op.kind === 'append' || op.kind === 'read'),
      judge: (_, trace) => every(padCalls(trace), ({ call, saw }) => (saw.kind === 'no-scratchpad' || saw.kind === 'error') && `${call} found no scratchpad that works`),
    },
    {
      id: 'host.deps-reach-sub-agents',
      level: 'MUST',
      text: "A dependency that the caller bound MUST be found by every tool call, also in a sub-agent at any depth, and MUST be the caller's own object.",
      why: 'A sub-agent that builds its own client talks to the wrong database, or is not covered by the test double.',
      source: 'seed 000, "Deps declared at the root are readable inside a delegated subagent"; seed 002, §4.2; in-process invariant 31',
      check: 'Are dependencies carried with the run, by reference, rather than looked up where the sub-agent was built?',
      needs: ['deps'],
      when: (scenario) => oneRun(scenario) && asksFor(scenario, 'clock'),
      judge: (_, trace) =>
        every(
          lookups(trace, 'clock'),
          ({ call, saw }) => !(saw.kind === 'dependency' && (saw.origin === 'own' || saw.origin === 'other-run')) && `${call} did not find the dependency that the caller bound`,
        ),
    },
    {
      id: 'host.missing-dependency-is-named',
      level: 'MUST',
      text: 'Asking for a dependency that nobody bound MUST be an error that names it, and MUST NOT give undefined.',
      why: 'An undefined client fails three calls later, in a sub-agent, with "cannot read properties of undefined".',
      source: 'seed 002, §4.2; in-process invariants 95 and 96',
      check: 'Does the lookup throw for a key that is not bound, and is the key in the message?',
      needs: ['deps'],
      when: (scenario) => asksFor(scenario, 'absent'),
      judge: (_, trace) =>
        every(
          lookups(trace, 'absent'),
          ({ call, saw }) =>
            saw.kind !== 'no-dependencies' &&
            !(saw.kind === 'error' && saw.message.includes('absent')) &&
            `${call} asked for "absent", which is not bound, and ${saw.kind === 'error' ? 'the error does not name it' : 'got no error'}`,
        ),
    },
    {
      id: 'host.bound-undefined-is-bound',
      level: 'SHOULD',
      text: 'A dependency that is bound to undefined SHOULD be given as undefined, without an error.',
      why: 'An optional client that is deliberately switched off must not read as a wiring mistake.',
      source: 'in-process invariant 96',
      check: 'Is presence decided by the key, or by the truth of the value?',
      needs: ['deps'],
      when: (scenario) => asksFor(scenario, 'nothing'),
      judge: (_, trace) =>
        every(lookups(trace, 'nothing'), ({ call, saw }) => saw.kind === 'error' && `${call} asked for "nothing", which is bound to undefined, and got an error`),
    },
    {
      id: 'host.run-wins-over-construction',
      level: 'MUST',
      text: 'What the caller gives to a run MUST win over what was there when the team was built.',
      why: 'A team built once and run for many callers serves the first one for ever.',
      source: 'seed 000, "prefer host?.scratchpad … and host?.deps over the closure"; in-process invariants 25 and 26',
      check: 'Does the tool that delegates take host value and dependencies from the call, before it falls back on its closure?',
      needs: ['host'],
      when: (scenario) => scenario.built && scenario.runs.length === 1 && handles(scenario, 'record') && opsOf(scenario).length > 0,
      judge: (_, trace) =>
        every(
          probeCalls(trace)
            .filter(({ host: given, saw }) => given !== 'none' || saw.kind === 'dependency')
            .map((probe) => ({ ...probe, at: probe.host === 'built' ? probe.calledAt : probe.at })),
          ({ call, host: given, saw }) =>
            (given === 'built' || (saw.kind === 'dependency' && saw.origin === 'built')) && `${call} was handed what was there when the team was built`,
        ),
    },
    {
      id: 'host.concurrent-runs-never-mix',
      level: 'MUST',
      text: "Two runs of one team at the same time MUST NOT be handed each other's host value, dependencies or state.",
      why: "One customer's request is answered with another customer's data.",
      source: 'in-process invariants 33, 34 and 72; field bugs 15, 16',
      check: 'Is anything of a run kept on an object that the team shares: an agent, a toolbox, a module, ambient async context?',
      needs: ['host'],
      when: (scenario) => scenario.runs.length > 1 && !scenario.inTurn && !scenario.built && scenario.host !== 'none' && opsOf(scenario).length > 0,
      judge: (_, trace) => every(probeCalls(trace), mixed),
    },
  ],
);

function mixed({ call, run, host: given, saw }: ProbeCall): string | false {
  if (given === 'other-run') return `${call} was handed the other run's host value`;
  if (saw.kind === 'dependency' && saw.origin === 'other-run') return `${call} was handed the other run's dependency`;
  const leaked = saw.kind === 'entries' && saw.entries.find((entry) => !entry.startsWith(`r${run}`));
  return leaked ? `${call} read an entry of the other run, ${leaked}` : false;
}
