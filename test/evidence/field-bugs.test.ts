import { expect, test } from 'vitest';
import reference from '../../adapters/reference/index.ts';
import { allRequirements } from '../../conformance/certify.ts';
import { isBroken, judge } from '../../conformance/judge.ts';
import type { Mutant } from '../../conformance/mutant.ts';
import { mutants } from '../../conformance/mutants/index.ts';
import { enact } from '../../conformance/worlds/enact.ts';
import type { Requirement } from '../../spec/model/requirement.ts';
import { fieldBugs } from './field-bugs.ts';

test.each(fieldBugs)('$reported is caught by $caughtBy', async ({ caughtBy, scenario, mutant: what }) => {
  const requirement = allRequirements.find(({ id }) => id === caughtBy) as Requirement;
  const mutant = mutants[caughtBy].find((one) => one.what === what) as Mutant;
  expect(mutant, 'the mutant that has the bug').toBeDefined();
  expect(judge(requirement, scenario, await enact(reference, scenario))).toBe('kept');
  expect(isBroken(judge(requirement, scenario, await enact(mutant.of(reference), scenario)))).toBe(true);
});
