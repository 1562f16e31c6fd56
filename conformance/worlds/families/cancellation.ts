import fc from 'fast-check';
import type { Op, Scenario } from '../../../spec/model/scenario.ts';
import type { Family } from '../family.ts';
import { schedule, task } from '../tasks.ts';
import { scenario } from '../words.ts';

/** A caller who aborts in the middle. */
const aborted: fc.Arbitrary<Scenario> = fc
  .record({ root: task({ depth: 2, op: fc.constantFrom<Op>({ kind: 'pass' }, { kind: 'pass' }, { kind: 'abort' }), width: 2 }), schedule })
  .map(({ root, ...rest }) => scenario([root], rest));

/** Runs that are ended from outside. */
export const cancellationFamilies: readonly Family[] = [{ share: 7, arbitrary: aborted, needs: ['abort'] }];
