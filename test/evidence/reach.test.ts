import { expect, test } from 'vitest';
import reference from '../../adapters/reference/index.ts';
import { DEFAULT_SEED } from '../../conformance/cases.ts';
import { allRequirements, certify } from '../../conformance/certify.ts';
import { isSound } from '../../conformance/shrink.ts';
import { delegation } from '../../conformance/worlds/delegation.ts';
import { enact } from '../../conformance/worlds/enact.ts';
import { scenarioSchema } from '../../spec/model/scenario.ts';

test.each([DEFAULT_SEED, 1, 2])('the generator reaches the situation of every requirement by itself (seed %i)', (seed) => {
  const generated = delegation.deal(reference.capabilities, seed, 3).flat();
  const reached = allRequirements.map(({ id, when }) => ({ id, cases: generated.filter(when).length }));
  expect(reached.filter(({ cases }) => cases < 5)).toEqual([]);
});

test.each([1, 7, 99])('a correct runtime is certified whatever the seed (seed %i)', async (seed) => {
  const { verdicts } = await certify(reference, { seed });
  expect(verdicts.filter(({ verdict }) => verdict !== 'holds')).toEqual([]);
});

test('every generated scenario makes sense and is data', () => {
  for (const scenario of delegation.deal(reference.capabilities, 3, 2).flat()) {
    expect(isSound(scenario)).toBe(true);
    expect(scenarioSchema.parse(JSON.parse(JSON.stringify(scenario)))).toEqual(scenario);
  }
});

test('a schedule decides which of two parallel calls completes first: both orders are reached, and come back', async () => {
  const scenario = delegation.examples['the same sub-agent twice in one turn'];
  if (!scenario) throw new Error('the example is gone');
  const orders = await Promise.all(
    [
      [0, 0, 0],
      [1, 1, 1],
      [1, 0, 1],
    ].map(async (schedule) => (await enact(reference, { ...scenario, schedule })).order.join(' ')),
  );
  expect(new Set(orders).size).toBe(3);
  expect(orders[0]?.startsWith('r0/0.0')).toBe(true);
  expect(orders[1]?.startsWith('r0/0.1')).toBe(true);
});

test('the same scenario enacted twice gives the same trace', async () => {
  for (const scenario of delegation.deal(reference.capabilities, 11, 1).flat()) {
    expect((await enact(reference, scenario)).trace).toEqual((await enact(reference, scenario)).trace);
  }
});
