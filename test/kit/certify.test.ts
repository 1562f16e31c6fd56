import { expect, test } from 'vitest';
import reference from '../../adapters/reference/index.ts';
import { DEFAULT_CASES } from '../../conformance/cases.ts';
import { allRequirements, certify } from '../../conformance/certify.ts';
import type { Verdict } from '../../conformance/certificate.ts';
import { handing, onProbes, running } from '../../conformance/mutant.ts';
import type { Adapter } from '../../spec/model/ports.ts';
import type { Requirement } from '../../spec/model/requirement.ts';

const only = (...ids: readonly string[]): readonly Requirement[] => allRequirements.filter(({ id }) => ids.includes(id));

async function verdictOn(id: string, adapter: Adapter, options: Parameters<typeof certify>[1] = {}): Promise<{ verdict: Verdict | undefined; because: string | undefined }> {
  const { verdicts } = await certify(adapter, { requirements: only(id), ...options });
  return { verdict: verdicts[0]?.verdict, because: verdicts[0]?.because };
}

test('an adapter that throws when it builds the team is at fault, not its runtime', async () => {
  const broken: Adapter = {
    ...reference,
    delegation: () => {
      throw new TypeError('agents is not iterable');
    },
  };
  const { summary, certified, verdicts } = await certify(broken);
  expect(summary.faulted).toBe(allRequirements.length);
  expect(certified).toBe(false);
  expect(verdicts[0]?.because).toContain('agents is not iterable');
});

test('an adapter that throws in some cases harms only the requirements about those cases', async () => {
  const fails: Adapter = running(reference, () => ({
    before: (input) => {
      if (typeof input.host === 'symbol') throw new TypeError('cannot convert a symbol to a string');
      return input;
    },
  }));
  const { verdicts } = await certify(fails);
  const faulted = verdicts.filter(({ verdict }) => verdict === 'faulted').map(({ id }) => id);
  expect(faulted).toContain('host.is-opaque');
  expect(faulted).not.toContain('fork.merge-goes-by-index');
});

test('a runtime that never ends in some situation is told apart at once, without waiting for a clock', async () => {
  const stuck: Adapter = { ...reference, delegation: async (team, kit) => (team.composites.length > 0 ? () => new Promise(() => {}) : reference.delegation(team, kit)) };
  const { verdicts } = await certify(stuck, { requirements: only('fork.merge-goes-by-index', 'recursion.visits-are-counted-per-agent') });
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(['faulted', 'holds']);
  expect(verdicts[0]?.because).toContain('never ended');
});

test('a runtime that overflows the stack in some situation harms only what is about it', async () => {
  const overflow = (): never => overflow();
  const deep: Adapter = { ...reference, delegation: (team, kit) => (team.composites.length > 0 ? async () => overflow() : reference.delegation(team, kit)) };
  const { verdicts } = await certify(deep, { requirements: only('fork.merge-goes-by-index', 'recursion.visits-are-counted-per-agent') });
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(['faulted', 'holds']);
  expect(verdicts[0]?.because).toContain('Maximum call stack');
});

test('a violation that does not come back when the same case is enacted again is nondeterministic', async () => {
  let teams = 0;
  const atFirst = handing(reference, () => {
    const dropsIt = teams++ < 30;
    return (context) => (dropsIt ? { ...context, host: undefined } : context);
  });
  const { verdict, because } = await verdictOn('host.same-value-at-every-call', atFirst, { smoke: false });
  expect(verdict).toBe('nondeterministic');
  expect(because).toContain('once');
});

test('a capability that is claimed and never handed over is a violation', async () => {
  const claims = handing(reference, () => (context) => ({ ...context, pad: undefined }));
  const { verdict, because } = await verdictOn('fork.merge-goes-by-index', claims);
  expect(verdict).toBe('violated');
  expect(because).toContain('claims scratchpad');
});

test('a capability that is declared absent makes its requirements inapplicable, with the reason, and is noticed when it shows', async () => {
  const modest: Adapter = { ...reference, capabilities: { ...reference.capabilities, usage: 'it is not billed' } };
  const { verdicts, absent, notices, certified } = await certify(modest);
  const usage = verdicts.filter(({ chapter }) => chapter === 'usage');
  expect(new Set(usage.map(({ verdict }) => verdict))).toEqual(new Set(['inapplicable']));
  expect(usage[0]?.because).toContain('it is not billed');
  expect(absent).toEqual([{ capability: 'usage', reason: 'it is not billed' }]);
  expect(notices.join()).toContain('declares usage absent, but it was seen');
  expect(certified).toBe(true);
});

test('a runtime that executes the calls of a turn one after the other is inconclusive where concurrency is the point', async () => {
  let last: Promise<unknown> = Promise.resolve();
  const oneByOne = onProbes(reference, () => (call) => (input, context) => {
    const next = last.then(() => call(input, context));
    last = next.catch(() => {});
    return next;
  });
  expect((await verdictOn('fork.parallel-calls-are-isolated', oneByOne)).verdict).not.toBe('holds');
});

test('what was not put to the test does not hold', async () => {
  expect((await verdictOn('fork.merge-goes-by-index', reference, { cases: 1 })).verdict).toBe('inconclusive');
  expect((await verdictOn('fork.merge-goes-by-index', reference, { timeBudget: 0 })).verdict).toBe('inconclusive');
});

test('a case that ended the process harms the requirements that it could have exercised', async () => {
  const { verdicts } = await certify(reference, { lost: new Map([[3, 'The process exited with code 7.']]) });
  const faulted = verdicts.filter(({ verdict }) => verdict === 'faulted');
  expect(faulted.length).toBeGreaterThan(0);
  expect(faulted.length).toBeLessThan(allRequirements.length);
  expect(faulted[0]?.because).toBe('The process exited with code 7.');
});

test('a certificate says with what it was made', async () => {
  const { seed, cases, kit, node, runtime, profile, startedAt, verdicts, summary } = await certify(reference, { seed: 5 });
  expect({ seed, kit, node, runtime, profile }).toEqual({
    seed: 5,
    kit: expect.stringMatching(/^\d/),
    node: process.version,
    runtime: { name: 'reference', version: reference.version },
    profile: 'in-process',
  });
  expect(cases).toBeGreaterThanOrEqual(DEFAULT_CASES);
  expect(new Date(startedAt).toISOString()).toBe(startedAt);
  expect(Object.values(summary).reduce((a, b) => a + b)).toBe(verdicts.length);
});
