import { expect, test } from 'vitest';
import reference from '../../adapters/reference/index.ts';
import { allRequirements, certify } from '../../conformance/certify.ts';
import { isBroken, judge } from '../../conformance/judge.ts';
import { KILL_WITHIN } from '../../conformance/selftest.ts';
import { mutants } from '../../conformance/mutants/index.ts';
import { isSound } from '../../conformance/shrink.ts';
import { smallerThan } from '../../conformance/smaller.ts';
import { decodeToken } from '../../conformance/token.ts';
import { enact } from '../../conformance/worlds/enact.ts';
import { callsOf } from '../../spec/model/questions.ts';
import type { Requirement } from '../../spec/model/requirement.ts';
import type { Scenario } from '../../spec/model/scenario.ts';

/** A counterexample may need as many calls as this, and most need fewer. */
const MOST_CALLS = 8;

test.each(Object.entries(mutants))('a counterexample to %s has nothing in it that could go, and comes back from its token', { timeout: 120_000 }, async (id, [mutant]) => {
  const requirement = allRequirements.find((one) => one.id === id) as Requirement;
  const adapter = mutant.of(reference);
  const { verdicts } = await certify(adapter, { requirements: [requirement], cases: KILL_WITHIN });
  const { verdict, scenario, token } = verdicts[0] ?? {};
  expect(verdict).toBe('violated');
  const breaks = async (candidate: Scenario): Promise<boolean> => isBroken(judge(requirement, candidate, await enact(adapter, candidate)));

  expect(await breaks(decodeToken(token as string).scenario)).toBe(true);
  expect(callsOf(scenario as Scenario).length).toBeLessThanOrEqual(MOST_CALLS);
  for (const candidate of smallerThan(scenario as Scenario)) if (isSound(candidate)) expect(await breaks(candidate)).toBe(false);
});
