import { expect, test } from 'vitest';
import { allRequirements } from '../../conformance/certify.ts';
import { scenariosFor } from '../../conformance/cases.ts';
import type { Loss } from '../../conformance/job.ts';
import { casesToLeaveOut } from '../../conformance/losses.ts';
import reference from '../../adapters/reference/index.ts';

const scenarios = scenariosFor(reference, 1, 60);
const EXITED = 'The process exited with code 7.';
const losing = (...indices: readonly number[]): readonly Loss[] => indices.map((index) => [index, EXITED]);

test('a case that ended its process is the only one that is left out at first', () => {
  expect([...casesToLeaveOut(reference, allRequirements, scenarios, losing(4, 9))]).toEqual(losing(4, 9));
});

test('after a few, later cases that could only say the same are passed over, and those that matter to another requirement are not', () => {
  const lost = losing(4, 9, 12);
  const left = casesToLeaveOut(reference, allRequirements, scenarios, lost);
  const about = (index: number): readonly string[] => allRequirements.filter(({ when }) => when(scenarios[index] as (typeof scenarios)[number])).map(({ id }) => id);
  const spoilt = new Set(lost.flatMap(([index]) => about(index)));
  for (const [index] of scenarios.entries()) {
    const saysMore = about(index).some((id) => !spoilt.has(id));
    expect(left.has(index)).toBe(lost.some(([one]) => one === index) || (index > 12 && !saysMore));
  }
  for (const [index] of lost) expect(left.get(index)).toBe(EXITED);
});
