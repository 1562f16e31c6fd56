import Table from 'cli-table3';

const BORDERS = [
  'top',
  'top-mid',
  'top-left',
  'top-right',
  'bottom',
  'bottom-mid',
  'bottom-left',
  'bottom-right',
  'left',
  'left-mid',
  'mid',
  'mid-mid',
  'right',
  'right-mid',
  'middle',
] as const;

/** Columns of a table: how wide each is, and where its text stands. */
export interface Columns {
  readonly head: readonly string[];
  readonly widths: readonly number[];
  readonly aligns: readonly ('left' | 'right')[];
}

/** Sets rows in columns, without a line around them; what is too long goes on below. The first line is the head. */
export function bareTable({ head, widths, aligns }: Columns, rows: readonly (readonly string[])[]): readonly string[] {
  const table = new Table({
    head: [...head],
    colWidths: [...widths],
    colAligns: [...aligns],
    wordWrap: true,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 1, compact: true },
    chars: Object.fromEntries(BORDERS.map((border) => [border, ''])),
  });
  for (const row of rows) table.push([...row]);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}
