import { describe, expect, it } from 'vitest';
import { DEFAULT_SEED } from '../../conformance/cases.ts';
import type { RequirementVerdict } from '../../conformance/certificate.ts';
import { certify } from '../../conformance/certify.ts';
import { manners } from '../runtimes/manners.ts';
import second from '../runtimes/second.ts';

/** When one of these fails, a requirement demands how the reference does it, or the second runtime is wrong: find out which. */
describe('a second runtime, built unlike the reference', () => {
  it.each([DEFAULT_SEED, 1, 2])('is certified without exception (seed %i)', async (seed) => {
    const { certified, verdicts, notices } = await certify(second, { seed });
    expect(verdicts.filter(isException)).toEqual([]);
    expect({ certified, notices }).toEqual({ certified: true, notices: [] });
  });
});

/** When one of these fails, a requirement or the schedule takes a way of doing things for a mistake. */
describe.each(Object.entries(manners))('a correct runtime that %s', (_, behaves) => {
  it('is certified', async () => {
    const { certified, verdicts } = await certify(behaves(second));
    expect(verdicts.filter(isException)).toEqual([]);
    expect(certified).toBe(true);
  });
});

/** What needs a capability that the runtime does not claim is none. */
function isException({ verdict }: RequirementVerdict): boolean {
  return verdict !== 'holds' && verdict !== 'inapplicable';
}
