import type { RequirementVerdict } from '../certificate.ts';

/** The verdicts of each chapter, in the order in which they stand. */
export function byChapter(verdicts: readonly RequirementVerdict[]): ReadonlyMap<string, readonly RequirementVerdict[]> {
  return Map.groupBy(verdicts, ({ chapter }) => chapter);
}

/** Words how the verdicts are spread: `10 hold, 1 violated`. */
export function tally(verdicts: readonly RequirementVerdict[]): string {
  const counts = Map.groupBy(verdicts, ({ verdict }) => verdict);
  return [...counts].map(([verdict, { length }]) => `${length} ${verdict === 'holds' && length > 1 ? 'hold' : verdict}`).join(', ');
}
