/** Work to be timed. Both sides of a comparison do equally much of it in one call. */
export type Work = () => Promise<unknown>;

/** How often two works are timed. */
export interface Rounds {
  /** Timed and counted. */
  readonly rounds: number;
  /** Timed and thrown away, before the others: code is slow until it is compiled. */
  readonly warmUp: number;
}

/**
 * Times two works in turns and tells how many times as long the first takes. Each round compares what ran back to back,
 * so that whatever else a machine is busy with slows down both; who goes first alternates, so that neither always finds
 * the heap that the other left; and the median forgets rounds that were disturbed on one side only.
 */
export async function sideBySide(a: Work, b: Work, { rounds, warmUp }: Rounds): Promise<number> {
  const ratios: number[] = [];
  for (let round = -warmUp; round < rounds; round++) {
    const ratio = round % 2 === 0 ? (await timed(a)) / (await timed(b)) : 1 / ((await timed(b)) / (await timed(a)));
    if (round >= 0) ratios.push(ratio);
  }
  return median(ratios);
}

/** Repeats a work, one after the other, so that it is long enough for the clock. */
export function times(count: number, work: Work): Work {
  return async () => {
    for (let i = 0; i < count; i++) await work();
  };
}

/** How long a work takes, in milliseconds. */
async function timed(work: Work): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((x, y) => x - y);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] as number) : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
