import { delegationsOf, probeCalls, settlementsOf } from '../spec/model/questions.ts';
import { answerOf } from '../spec/model/ref.ts';
import type { Adapter } from '../spec/model/ports.ts';
import type { Scenario } from '../spec/model/scenario.ts';
import { seen, type Trace } from '../spec/model/trace.ts';
import { faultOf } from './judge.ts';
import { enact } from './worlds/enact.ts';

/** One thing that any adapter has to get done before a verdict on its runtime means anything. */
interface Check {
  readonly scenario: Scenario;
  /** What is wrong and where to look, or `undefined`. */
  flaw(scenario: Scenario, trace: Trace): string | undefined;
}

const plain = { host: 'record', built: false, schedule: [] } as const;
const answer = { kind: 'agent', ending: 'answer', usage: 'sound' } as const;
const pass = { kind: 'probe', op: { kind: 'pass' } } as const;

const CHECKS: readonly Check[] = [
  {
    scenario: { ...plain, runs: [{ ...answer, agent: 'planner', turns: [] }] },
    flaw: (_, trace) => {
      if (seen(trace, 'model-asked').length === 0) return 'An agent was run, but its model (`kit.model(name)`) was never asked.';
      const [settled] = settlementsOf(trace);
      return settled?.status === 'completed' && settled.text.includes(answerOf('r0'))
        ? undefined
        : `An agent that just answers did not complete with its model's answer (status ${settled?.status}).`;
    },
  },
  {
    scenario: { ...plain, runs: [{ ...answer, agent: 'planner', turns: [[pass]] }] },
    flaw: (_, trace) => {
      if (probeCalls(trace).length !== 1) return `A model called the tool \`probe\` once, but ${probeCalls(trace).length} calls arrived. Register an agent's \`tools\` with it.`;
      return seen(trace, 'model-asked').some(({ results }) => results.length === 1) ? undefined : "The probe's result was not given back to the model under its tool call id.";
    },
  },
  {
    scenario: { ...plain, runs: [{ ...answer, agent: 'planner', turns: [[{ kind: 'delegate', task: { ...answer, agent: 'writer', turns: [[pass]] } }]] }] },
    flaw: (scenario, trace) => {
      const [delegation] = delegationsOf(scenario, trace);
      if (delegation?.startedAt === undefined)
        return "A model called `ask_writer`, but the model of the sub-agent was never asked. Register a tool `kit.toolFor(name)` for each of an agent's delegates, and prompt the sub-agent with its `task`.";
      if (probeCalls(trace).length !== 1) return 'A sub-agent called the tool `probe`, but the call did not arrive. Register `kit.probe` with every agent.';
      return delegation.answered ? undefined : "The sub-agent's answer was not given back to the model that delegated to it.";
    },
  },
];

/** Tells a wrong adapter from a wrong runtime: `undefined` when it does the least that it takes, else what is wrong. */
export async function smoke(adapter: Adapter): Promise<string | undefined> {
  for (const { scenario, flaw } of CHECKS) {
    const enactment = await enact(adapter, scenario);
    const wrong = faultOf(scenario, enactment) ?? flaw(scenario, enactment.trace);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
