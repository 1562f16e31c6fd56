import { expect, test } from 'vitest';
import reference from '../../adapters/reference/index.ts';
import overHttp from '../../adapters/reference-http/index.ts';
import type { Certificate } from '../../conformance/certificate.ts';
import { certify } from '../../conformance/certify.ts';

/** Enough to reach every situation. */
const CASES = 600;

/** When this fails, the model in the process drifts from what a provider does, or the reference does not survive a rough network. */
test('a real provider over a rough network gives the same verdicts as the model in the process', { timeout: 600_000 }, async () => {
  const inShort = ({ verdicts }: Certificate) => verdicts.map(({ id, verdict, because }) => ({ id, verdict, because }));
  expect(inShort(await certify(overHttp, { cases: CASES }))).toEqual(inShort(await certify(reference, { cases: CASES })));
});
