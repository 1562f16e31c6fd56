import { loadAdapter } from '../load-adapter.ts';
import { bareTable } from '../reporters/bare-table.ts';
import type { KillMatrix, KillOptions } from '../selftest.ts';
import { hang } from '../telling/wrap.ts';
import { UsageError } from '../usage-error.ts';
import { colours } from './colour.ts';
import { unknown } from './nearest.ts';
import { readCases, readSeed } from './numbers.ts';
import { withQuietStdout } from './quiet-stdout.ts';
import { isMutable, referenceAdapter } from './reference-adapter.ts';
import { allIds } from './selection.ts';

/** What `mutants` was given. */
export interface MutantsArguments {
  readonly id?: string | undefined;
  readonly json?: boolean;
  readonly cases?: string;
  readonly seed?: string;
  readonly adapter?: string;
}

/** Breaks the reference on purpose and reports who noticed. @throws UsageError when there is no such requirement. */
export async function killAndReport(given: MutantsArguments, entry: string): Promise<number> {
  if (given.id !== undefined && !allIds.includes(given.id)) throw unknown('requirement', given.id, allIds);
  const cases = given.cases === undefined ? undefined : readCases(given.cases);
  const seed = given.seed === undefined ? undefined : readSeed(given.seed);
  const adapter = await withQuietStdout(() => loadAdapter(given.adapter ?? referenceAdapter(entry)));
  if (!isMutable(adapter)) throw new UsageError(`${given.adapter} has no \`withParts\`, so nothing in it can be broken on purpose. Give an adapter that has it.`);
  const { killMatrix } = await import('../selftest.ts');
  const options: KillOptions = {
    ...(given.id !== undefined && { only: given.id as keyof typeof import('../mutants/index.ts').mutants }),
    ...(cases !== undefined && { cases }),
    ...(seed !== undefined && { seed }),
    onProgress: (done, of) => process.stderr.isTTY && process.stderr.write(`\r\u001B[2K${done === of ? '' : `mutant ${done}/${of}`}`),
  };
  const matrix = await withQuietStdout(() => killMatrix(adapter, options));
  process.stdout.write(given.json ? `${JSON.stringify(matrix, null, 2)}\n` : render(matrix));
  return matrix.survivors.length === 0 && matrix.stray.length === 0 ? 0 : 1;
}

const COLUMNS = { head: ['requirement and mutant', 'killed after'], widths: [64, 14], aligns: ['left', 'right'] } as const;

function render({ rows, survivors, stray, requirements, mutants, killed }: KillMatrix): string {
  const lines: string[][] = [];
  for (const [id, its] of Map.groupBy(rows, ({ requirement }) => requirement)) {
    lines.push([colours.bold(id), '']);
    for (const { mutant, killedAfter } of its)
      lines.push([`  ${mutant}`, killedAfter === null ? colours.red('survived') : `${killedAfter} ${killedAfter === 1 ? 'case' : 'cases'}`]);
  }
  const wrong = [
    ...survivors.flatMap(({ requirement, mutant }) => hang(`${colours.red('survived')}  `, `${requirement}: ${mutant}`, '          ')),
    ...stray.flatMap(({ requirement, mutant, alsoBroke }) => hang(`${colours.red('stray')}     `, `${requirement}: ${mutant} (also breaks ${alsoBroke})`, '          ')),
  ];
  return `${[
    ...bareTable(COLUMNS, lines),
    '',
    ...wrong,
    colours.bold(`${killed} of ${mutants} mutants killed, for ${requirements} ${requirements === 1 ? 'requirement' : 'requirements'}.`),
  ].join('\n')}\n`;
}
