import { beforeAll, describe, expect, it } from 'vitest';
import aiSdk from '../../adapters/ai-sdk/index.ts';
import baseline from '../../adapters/ai-sdk/baseline.json' with { type: 'json' };
import type { Certificate, RequirementVerdict } from '../../conformance/certificate.ts';
import { certify } from '../../conformance/certify.ts';
import { enact } from '../../conformance/worlds/enact.ts';
import { agentTask, delegate, probe, scenario } from '../../conformance/worlds/words.ts';
import { callsOf } from '../../spec/model/questions.ts';
import type { Scenario } from '../../spec/model/scenario.ts';
import { type Observation, seen } from '../../spec/model/trace.ts';

/** Each of these breaks when the SDK changes: then the finding is out of date, and so are the README and the baseline. */
describe('the AI SDK', () => {
  let certificate: Certificate;
  beforeAll(async () => {
    certificate = await certify(aiSdk);
  });

  const verdictOn = (id: string): RequirementVerdict => certificate.verdicts.find((verdict) => verdict.id === id) as RequirementVerdict;

  it.each([
    ['leaves the usage of a sub-agent out of the total', 'usage.total-includes-descendants'],
    ['lets an agent delegate to itself without end', 'recursion.default-limit-exists'],
  ])('%s, and two delegations are enough to show it', (_, id) => {
    const { verdict, scenario, token } = verdictOn(id);
    expect(verdict).toBe('violated');
    expect(delegationsIn(scenario as Scenario)).toBeLessThanOrEqual(2);
    expect(token).toMatch(/^[\w-]+$/);
  });

  it('breaks exactly what its baseline says, and leaves nothing undecided', () => {
    const violated = certificate.verdicts.filter(({ verdict }) => verdict === 'violated').map(({ id }) => id);
    expect(violated.toSorted()).toEqual(baseline.violations.map(({ id }) => id).toSorted());
    expect(certificate.summary).toMatchObject({ inconclusive: 0, nondeterministic: 0, faulted: 0 });
  });

  it('is shown each of them by two delegations at most', () => {
    for (const { scenario } of certificate.verdicts) if (scenario) expect(delegationsIn(scenario)).toBeLessThanOrEqual(2);
  });

  it('hands a tool of the agent that is run the very value that its caller gave, of whatever kind', () => {
    expect(verdictOn('host.same-value-at-every-call').verdict).toBe('holds');
    expect(verdictOn('host.is-opaque').verdict).toBe('holds');
  });

  it('has nothing that was declared absent', () => {
    expect(certificate.notices).toEqual([]);
  });
});

/** Each of these breaks when a capability is claimed and not wired. */
describe("the AI SDK's adapter", () => {
  const writer = agentTask('writer', [[probe({ kind: 'pass' })]]);
  const settled = async (found: Scenario): Promise<Observation> => seen((await enact(aiSdk, found)).trace, 'run-settled')[0] as Observation;

  it('gives a sub-agent its time, and tells the model that it is over', async () => {
    const { trace } = await enact(aiSdk, scenario([agentTask('planner', [[delegate({ ...writer, ending: 'hang' })]])], { agents: { writer: { timeout: 100 } } }));
    expect(seen(trace, 'model-stopped')).toMatchObject([{ task: 'r0/0.0', turn: 1 }]);
    expect(seen(trace, 'model-asked').at(-1)).toMatchObject({ task: 'r0', results: [{ text: expect.stringContaining('TimeoutError') }] });
  });

  it('lets a model have its turns and no more', async () => {
    const { trace } = await enact(aiSdk, scenario([agentTask('planner', [[delegate(writer)]])], { agents: { writer: { turns: 1 } } }));
    expect(seen(trace, 'model-asked').map(({ task }) => task)).toEqual(['r0', 'r0/0.0', 'r0']);
  });

  it('puts together what is streamed, also before a failure or an abort', async () => {
    expect(await settled(scenario([writer], { streamed: [0] }))).toMatchObject({ status: 'completed', text: 'Done with r0.', streamed: 'Done with r0.' });
    expect(await settled(scenario([{ ...writer, ending: 'fail' }], { streamed: [0] }))).toMatchObject({ status: 'failed', error: 'The model failed on r0.', streamed: '' });
    const aborted = agentTask('writer', [[probe({ kind: 'abort' })]]);
    expect(await settled(scenario([aborted], { streamed: [0] }))).toMatchObject({ status: 'cancelled', keepsReason: true, streamed: '' });
  });

  it('asks for structured answers, and gives them as JSON', async () => {
    const agents = { planner: { output: 'structured' }, writer: { output: 'structured' } } as const;
    const { trace } = await enact(aiSdk, scenario([agentTask('planner', [[delegate(writer)]])], { agents }));
    expect(seen(trace, 'model-asked').map(({ format }) => format)).not.toContain('text');
    expect(seen(trace, 'model-asked').at(-1)?.results).toMatchObject([{ text: '{"answer":"Done with r0/0.0."}' }]);
    expect(seen(trace, 'run-settled')).toMatchObject([{ text: '{"answer":"Done with r0."}' }]);
  });

  it("tells each caller of what its run does at any depth, as the SDK's telemetry does", async () => {
    const { trace } = await enact(aiSdk, scenario([agentTask('planner', [[delegate(writer)]])]));
    expect(seen(trace, 'event').map(({ type, task, call, status }) => [type, task, call, status])).toEqual([
      ['run-start', 'r0', null, null],
      ['tool-start', null, 'r0:0.0', null],
      ['run-start', 'r0/0.0', 'r0:0.0', null],
      ['tool-start', null, 'r0/0.0:0.0', null],
      ['tool-end', null, 'r0/0.0:0.0', 'completed'],
      ['run-end', 'r0/0.0', 'r0:0.0', 'completed'],
      ['tool-end', null, 'r0:0.0', 'completed'],
      ['run-end', 'r0', null, 'completed'],
    ]);
  });
});

function delegationsIn(scenario: Scenario): number {
  return callsOf(scenario).filter(({ call }) => call.kind !== 'probe').length;
}
