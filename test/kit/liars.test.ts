import { describe, expect, it } from 'vitest';
import { isCertified, type RequirementVerdict } from '../../conformance/certificate.ts';
import { certify } from '../../conformance/certify.ts';
import { halfLiars } from '../runtimes/half-liars.ts';
import { liars } from '../runtimes/liars.ts';

/** When one of these fails, a chapter takes a runtime's word for something that the kit could have seen. */
describe.each(liars.map((liar) => [liar.name, liar] as const))('a runtime that %s', (_, liar) => {
  it.each([
    ['with', true],
    ['without', false],
  ])('is certified in no chapter %s the smoke stage', async (_with, smoke) => {
    const { certified, verdicts } = await certify(liar, { smoke, shrink: false });
    expect(chaptersCertifiedBy(verdicts)).toEqual([]);
    expect(certified).toBe(false);
  });
});

/** When one of these fails, what is done for show passes for the thing itself. */
describe.each(Object.entries(halfLiars))('a runtime that is honest, but %s', (_, { adapter, about }) => {
  it('is not certified in what that is about', async () => {
    const { certified, verdicts } = await certify(adapter, { shrink: false });
    const certifiedIn = chaptersCertifiedBy(verdicts);
    expect(about.filter((chapter) => certifiedIn.includes(chapter))).toEqual([]);
    expect(certified).toBe(false);
  });
});

/** The verdict on a requirement does not depend on which others are asked for, so a chapter's certificate is part of the whole. */
function chaptersCertifiedBy(verdicts: readonly RequirementVerdict[]): readonly string[] {
  const chapters = Map.groupBy(verdicts, ({ chapter }) => chapter);
  return [...chapters].flatMap(([chapter, its]) => (isCertified(its) ? [chapter] : []));
}
