import { expect, test } from 'vitest';
import reference from '../../adapters/reference/index.ts';
import { certify } from '../../conformance/certify.ts';
import { CountingGuard } from '../../conformance/mutants/counting-guard.ts';
import { PlainLedger } from '../../conformance/mutants/plain-ledger.ts';
import { CompositePad } from '../../conformance/mutants/scratchpads.ts';
import { KILL_WITHIN, killMatrix } from '../../conformance/selftest.ts';

test(`every mutant dies within ${KILL_WITHIN} cases, and none is blamed for what it does right`, { timeout: 600_000 }, async () => {
  const { survivors, stray, killed, mutants } = await killMatrix(reference);
  expect(survivors).toEqual([]);
  expect(stray).toEqual([]);
  expect(killed).toBe(mutants);
});

test('the plain parts that mutants are made of are right where no flaw is put in', async () => {
  const plain = reference.withParts(() => ({
    createGuard: (limits) => new CountingGuard({}, limits),
    createLedger: (prompt) => new PlainLedger({}, prompt),
    createScratchpad: () => new CompositePad({}),
  }));
  const { verdicts } = await certify(plain);
  expect(verdicts.filter(({ verdict }) => verdict !== 'holds')).toEqual([]);
});
