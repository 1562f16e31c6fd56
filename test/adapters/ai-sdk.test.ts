import { beforeAll, describe, expect, it } from 'vitest';
import aiSdk from '../../adapters/ai-sdk/index.ts';
import baseline from '../../adapters/ai-sdk/baseline.json' with { type: 'json' };
import type { Certificate, RequirementVerdict } from '../../conformance/certificate.ts';
import { certify } from '../../conformance/certify.ts';
import { callsOf } from '../../spec/model/questions.ts';
import type { Scenario } from '../../spec/model/scenario.ts';

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

function delegationsIn(scenario: Scenario): number {
  return callsOf(scenario).filter(({ call }) => call.kind !== 'probe').length;
}
