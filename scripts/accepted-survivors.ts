import type { Survivor } from './survivors.ts';

/** A row of `docs/mutation.md`: a survivor and why it is lived with. */
export interface Accepted {
  readonly file: string;
  readonly change: string;
  readonly reason: string;
}

const REASON = /^(equivalent|out of scope|open)\b/;
const ROW = /^\| (\S+\.ts) \| (.*) \| (.*) \|$/;

/** Reads the rows of the page. @throws when a row is none, or its reason does not begin with one of the three words. */
export function acceptedIn(page: string): readonly Accepted[] {
  const rows = page.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) => {
    const [, file, change, reason] = ROW.exec(row) ?? [];
    if (file === undefined || change === undefined || reason === undefined || !REASON.test(reason)) {
      throw new Error(`This row of docs/mutation.md cannot be read: ${row}\nIt takes a file, a change as the report prints it, and a reason: equivalent, out of scope or open.`);
    }
    return { file, change, reason };
  });
}

/** How the page and a run compare. */
export interface Comparison {
  readonly unlisted: readonly Survivor[];
  /** Rows whose mutant was killed or is gone. */
  readonly stale: readonly Accepted[];
  /** Rows that hold, of mutants that the specification cannot or need not notice. */
  readonly excused: number;
}

/** Sets each survivor against a row of its own: two that read alike take two rows. */
export function compare(survivors: readonly Survivor[], rows: readonly Accepted[]): Comparison {
  const left = [...rows];
  const unlisted: Survivor[] = [];
  for (const survivor of survivors) {
    const index = left.findIndex(({ file, change }) => file === survivor.file && change === survivor.change);
    if (index < 0) unlisted.push(survivor);
    else left.splice(index, 1);
  }
  const excused = rows.filter((row) => !left.includes(row) && !row.reason.startsWith('open')).length;
  return { unlisted, stale: left, excused };
}
