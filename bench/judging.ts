import reference from '../adapters/reference/index.ts';
import { certify } from '../conformance/certify.ts';
import type { Measured } from './measured.ts';
import { sideBySide } from './side-by-side.ts';

/** Which share of a certification is judging: what is saved when the same scenarios are enacted and nothing is asked of them. */
export async function measureJudging(): Promise<readonly Measured[]> {
  const enactedOnly = await sideBySide(
    () => certify(reference, { requirements: [] }),
    () => certify(reference),
    { rounds: 25, warmUp: 5 },
  );
  return [{ name: 'judging/certification', value: 1 - enactedOnly, bar: 0.3 }];
}
