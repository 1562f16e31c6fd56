import { agentTask, compositeTask, delegate, probe, scenario } from '../../conformance/worlds/words.ts';
import type { RequirementId } from '../../spec/index.ts';
import type { Call, Scenario, SlotName } from '../../spec/model/scenario.ts';

/** A bug that was reported against a real runtime: its smallest scenario here, and a mutant that has it. */
export interface FieldBug {
  readonly reported: string;
  readonly symptom: string;
  readonly caughtBy: RequirementId;
  readonly scenario: Scenario;
  /** What the mutant of that requirement does wrong. */
  readonly mutant: string;
}

const pass = probe({ kind: 'pass' });
const append = (slot: SlotName): Call => probe({ kind: 'append', slot });
const read = (slot: SlotName): Call => probe({ kind: 'read', slot });
const again = (up: number): Call => ({ kind: 'recurse', up });

const oneDelegation = scenario([agentTask('planner', [[delegate(agentTask('writer', [[pass]]))]])]);
const twoDeep = scenario([agentTask('planner', [[delegate(agentTask('writer', [[delegate(agentTask('critic', [[pass]]))]]))]])]);
const endless = scenario([agentTask('planner', [[again(1)]])]);
const twins = scenario([
  agentTask('planner', [[delegate(agentTask('writer', [[append('draft')], [read('draft')]])), delegate(agentTask('writer', [[append('draft')], [read('draft')]]))]]),
]);
const fiveChildren = scenario([agentTask('planner', [Array.from({ length: 5 }, () => delegate(agentTask('scout', [[pass]])))])]);

/** Every reported bug inside the chapters of this specification. */
export const fieldBugs: readonly FieldBug[] = [
  {
    reported: 'openai/openai-agents-js#659',
    symptom: "a child's tools get the context wrapped one level deeper",
    caughtBy: 'host.reaches-sub-agents',
    scenario: oneDelegation,
    mutant: 'wraps the host value once more for each delegation',
  },
  {
    reported: 'langchain-ai/deepagents#569',
    symptom: 'the sub-agent is invoked without the runtime context',
    caughtBy: 'host.reaches-sub-agents',
    scenario: oneDelegation,
    mutant: 'starts a sub-agent without the host value',
  },
  {
    reported: 'strands-agents/harness-sdk#3931',
    symptom: 'an agent as a tool drops the invocation state',
    caughtBy: 'host.reaches-sub-agents',
    scenario: oneDelegation,
    mutant: 'starts a sub-agent without the host value',
  },
  {
    reported: 'agentscope-ai/agentscope-java#1731',
    symptom: 'only some attributes of the context survive the second hop',
    caughtBy: 'host.reaches-any-depth',
    scenario: twoDeep,
    mutant: 'rebuilds the host value on the second delegation',
  },
  {
    reported: 'huggingface/smolagents#1781',
    symptom: 'the same sub-agent called twice in one step shares one memory',
    caughtBy: 'fork.twice-in-one-step-means-two-memories',
    scenario: twins,
    mutant: 'keeps the fork of a turn by the name of the tool',
  },
  {
    reported: 'google/adk-python#1153',
    symptom: "of the state that parallel children wrote, only one child's survives",
    caughtBy: 'fork.no-update-is-lost',
    scenario: scenario([agentTask('planner', [[delegate(agentTask('writer', [[append('log')], [read('log')]])), delegate(agentTask('scout', [[append('log')], [read('log')]]))]])]),
    mutant: 'reads a slot when a call arrives, and writes it when the call goes on',
  },
  {
    reported: 'google/adk-go#1137',
    symptom: 'parallel calls of one sub-agent write to its shared state',
    caughtBy: 'fork.twice-in-one-step-means-two-memories',
    scenario: twins,
    mutant: 'keeps the fork of a turn by the name of the tool',
  },
  {
    reported: 'kagent-dev/kagent#2137',
    symptom: 'all calls of a tool land in one child conversation',
    caughtBy: 'fork.later-calls-start-fresh',
    scenario: scenario([agentTask('planner', [[delegate(agentTask('writer', [[append('draft')]]))], [delegate(agentTask('writer', [[read('draft')]]))]])]),
    mutant: 'keeps the fork of a sub-agent for its next call',
  },
  {
    reported: 'langchain-ai/langgraphjs#2040',
    symptom: 'ambient context leaks between concurrent runs',
    caughtBy: 'host.concurrent-runs-never-mix',
    scenario: scenario([agentTask('planner', [[pass]]), agentTask('planner', [[pass]])]),
    mutant: "keeps the host value on the team: the last run's wins",
  },
  {
    reported: 'huggingface/smolagents#1781',
    symptom: 'the same sub-agent called twice in one step gives identical answers',
    caughtBy: 'conversation.calls-at-once-are-apart',
    scenario: twins,
    mutant: 'keeps one conversation for all calls that a turn makes of a sub-agent',
  },
  {
    reported: 'kagent-dev/kagent#2137',
    symptom: 'the second call of a sub-agent is shown the task of the first',
    caughtBy: 'conversation.later-calls-start-anew',
    scenario: scenario([
      agentTask(
        'planner',
        [0, 1].map(() => [delegate(agentTask('writer', []))]),
      ),
    ]),
    mutant: 'keeps the conversation of a sub-agent for its next call',
  },
  {
    reported: 'strands-agents/harness-sdk#1176',
    symptom: 'in two runs of one agent at a time, calls and results lose each other',
    caughtBy: 'conversation.every-call-has-one-result',
    scenario: scenario([agentTask('planner', [[pass]]), agentTask('planner', [[pass]])]),
    mutant: 'gives each result twice',
  },
  {
    reported: 'continuedev/continue#13289',
    symptom: 'a sub-agent may use whatever there is, not what it was given',
    caughtBy: 'executor.callers-tools-do-not-go-down',
    scenario: scenario([agentTask('planner', [[pass, delegate(agentTask('writer', [[pass, { kind: 'probe', op: { kind: 'pass' }, of: 'planner' }]]))]])]),
    mutant: 'adds the tools of the agent that is run to all below it',
  },
  {
    reported: 'anomalyco/opencode#18100',
    symptom: 'hundreds of nested sessions, since nothing stops a child that always delegates',
    caughtBy: 'recursion.default-limit-exists',
    scenario: endless,
    mutant: 'has no limit unless the caller sets one',
  },
  {
    reported: 'archestra-ai/archestra#4462',
    symptom: 'two agents delegate to each other, and every hop resets the limit',
    caughtBy: 'recursion.guard-survives-hops',
    scenario: scenario([agentTask('planner', [[delegate(agentTask('writer', [[again(2)]]))]])], { limits: { depth: 2 } }),
    mutant: 'starts counting anew when a chain comes back to an agent',
  },
  {
    reported: 'crewAIInc/crewAI#330',
    symptom: 'delegation loops, and the model is not told why it should stop',
    caughtBy: 'recursion.error-tells-limit-depth-and-chain',
    scenario: scenario([agentTask('planner', [[again(1)]])], { limits: { depth: 1 } }),
    mutant: 'says only that the tool failed',
  },
  {
    reported: 'leonardsellem/codex-subagents-mcp#10',
    symptom: 'an orchestrator delegates to itself without a guard',
    caughtBy: 'recursion.default-limit-exists',
    scenario: endless,
    mutant: 'has no limit unless the caller sets one',
  },
  {
    reported: 'agent0ai/agent-zero#72',
    symptom: 'an agent makes a subordinate that makes a subordinate, on a trivial prompt',
    caughtBy: 'recursion.default-limit-exists',
    scenario: endless,
    mutant: 'has no limit unless the caller sets one',
  },
  {
    reported: 'anthropics/claude-agent-sdk-typescript#347',
    symptom: 'reported usage stays flat however deep the delegation',
    caughtBy: 'usage.total-includes-descendants',
    scenario: twoDeep,
    mutant: 'adds up one level of sub-agents only',
  },
  {
    reported: 'woojubb/robota#909',
    symptom: "a worker's tokens are not in its parent's books",
    caughtBy: 'usage.each-child-has-its-own-account',
    scenario: oneDelegation,
    mutant: 'reports no accounts of sub-agents',
  },
  {
    reported: 'nicobailon/pi-subagents#1666',
    symptom: 'five parallel children, and no usage of theirs',
    caughtBy: 'usage.parallel-children-count',
    scenario: fiveChildren,
    mutant: 'reads a total when a sub-agent starts, and writes it when it ends',
  },
  {
    reported: 'ccusage/ccusage#950',
    symptom: 'usage is counted again at every level',
    caughtBy: 'usage.nothing-is-counted-twice',
    scenario: twoDeep,
    mutant: 'adds up totals of children and again of theirs',
  },
  {
    reported: 'mastra-ai/mastra#15567',
    symptom: 'total usage leaves out sub-agents',
    caughtBy: 'usage.total-includes-descendants',
    scenario: oneDelegation,
    mutant: 'leaves sub-agents out of the total',
  },
  {
    reported: 'jin-bo/agentao#305',
    symptom: 'the tokens of a child that fails are lost',
    caughtBy: 'usage.failed-children-count',
    scenario: scenario([agentTask('planner', [[delegate(agentTask('scout', [[pass]], { ending: 'fail' }))]])]),
    mutant: 'books a sub-agent only when it succeeds',
  },
  {
    reported: 'openclaw/openclaw#29743',
    symptom: 'a missing or invalid token count breaks whoever sums it',
    caughtBy: 'usage.malformed-is-refused',
    scenario: scenario([agentTask('planner', [[delegate(agentTask('scout', [[pass]], { usage: 'nan' }))]])]),
    mutant: 'sums whatever a provider reports',
  },
  {
    reported: 'google/adk-python#2130',
    symptom: 'what runs below has no link to the run that called it',
    caughtBy: 'lineage.parent-is-the-nearest-run',
    scenario: oneDelegation,
    mutant: 'does not say who delegated',
  },
  {
    reported: 'anomalyco/opencode#39196',
    symptom: 'a child that fails leaves no trace of its run',
    caughtBy: 'lineage.every-run-is-told-to-end-once',
    scenario: scenario([agentTask('planner', [[delegate(agentTask('scout', [], { ending: 'fail' }))]])]),
    mutant: 'forgets the end of runs that fail',
  },
  {
    reported: 'mastra-ai/mastra#14820',
    symptom: 'the signal does not reach what was delegated to',
    caughtBy: 'context.abort-reaches-parts',
    scenario: scenario([agentTask('planner', [[delegate(compositeTask('sequence', [agentTask('writer', [[pass]])]))]])], { abortAfter: 1 }),
    mutant: 'does not hand the signal to tools of parts',
  },
  {
    reported: 'VoltAgent/voltagent#521',
    symptom: "the error of a sub-agent's provider arrives as a success with an empty text",
    caughtBy: 'failure.is-told-to-the-asker',
    scenario: scenario([agentTask('planner', [[delegate(agentTask('scout', [], { ending: 'fail' }))]])]),
    mutant: 'gives an empty answer where a sub-agent failed',
  },
  {
    reported: 'gotgenes/pi-packages#889',
    symptom: 'a run whose model failed is reported as completed, without a text',
    caughtBy: 'failure.ends-the-run-as-failed',
    scenario: scenario([agentTask('planner', [], { ending: 'fail' })]),
    mutant: 'completes a run whose model failed, without an answer',
  },
  {
    reported: 'anthropics/claude-agent-sdk-typescript#132',
    symptom: 'the caller stops a run, and what was delegated goes on',
    caughtBy: 'cancellation.reaches-sub-agents',
    scenario: scenario([agentTask('planner', [[delegate(agentTask('writer', [[delegate(agentTask('critic', [[probe({ kind: 'hang' })]]))]]))]])], { abortAfter: 1 }),
    mutant: 'loses the signal on the second delegation',
  },
  {
    reported: 'vercel/ai#12878',
    symptom: 'an abort during a tool call is told as an error of the tool, and the run ends as if nothing had been',
    caughtBy: 'cancellation.is-no-success',
    scenario: scenario([agentTask('planner', [[probe({ kind: 'hang' })]])], { abortAfter: 1 }),
    mutant: 'tells the model of an abort as of a tool that failed, and goes on to an answer',
  },
];
