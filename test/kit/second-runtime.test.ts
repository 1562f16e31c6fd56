import { describe, expect, it } from 'vitest';
import { DEFAULT_SEED } from '../../conformance/cases.ts';
import { certify } from '../../conformance/certify.ts';
import { manners, tellingOfNoTools } from '../runtimes/manners.ts';
import second from '../runtimes/second.ts';

/** When one of these fails, a requirement demands how the reference does it, or the second runtime is wrong: find out which. */
describe('a second runtime, built unlike the reference', () => {
  it.each([DEFAULT_SEED, 1, 2])('is certified without exception (seed %i)', async (seed) => {
    const { certified, verdicts, absent, notices } = await certify(second, { seed });
    expect(verdicts.filter(({ verdict }) => verdict !== 'holds')).toEqual([]);
    expect({ certified, absent, notices }).toEqual({ certified: true, absent: [], notices: [] });
  });
});

/** When one of these fails, a requirement or the schedule takes a way of doing things for a mistake. */
describe.each(Object.entries(manners))('a correct runtime that %s', (_, behaves) => {
  it('is certified', async () => {
    const { certified, verdicts } = await certify(behaves(second));
    expect(verdicts.filter(({ verdict }) => verdict !== 'holds')).toEqual([]);
    expect(certified).toBe(true);
  });
});

/** When this fails, a requirement takes what a runtime does not say for a mistake. */
it('a correct runtime that does not say which tools it offers is accused of nothing', async () => {
  const { verdicts } = await certify(tellingOfNoTools(second));
  expect(verdicts.filter(({ verdict }) => verdict !== 'holds' && verdict !== 'inconclusive')).toEqual([]);
  expect(new Set(verdicts.flatMap(({ chapter, verdict }) => (verdict === 'holds' ? [] : [chapter])))).toEqual(new Set(['executor']));
});
