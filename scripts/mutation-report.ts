import { existsSync, readFileSync } from 'node:fs';
import { acceptedIn, compare } from './accepted-survivors.ts';
import { killedIn, type MutationReport, type Survivor, survivorsIn } from './survivors.ts';

// Reads what Stryker wrote, prints what survived, and checks `docs/mutation.md` against it. A run of some files checks their rows only.

/** In percent. */
const LOWEST_SCORE = 85;

const at = (path: string): URL => new URL(`../${path}`, import.meta.url);
const report: MutationReport = JSON.parse(readFileSync(at('build/mutation/mutation.json'), 'utf8'));
const rows = acceptedIn(readFileSync(at('docs/mutation.md'), 'utf8')).filter(({ file }) => file in report.files || !existsSync(at(file)));

const survivors = survivorsIn(report);
const killed = killedIn(report);
const { unlisted, stale, excused } = compare(survivors, rows);
const noticeable = killed + survivors.length - excused;
const score = noticeable === 0 ? 100 : (100 * killed) / noticeable;

for (const [file, its] of Map.groupBy(survivors, (survivor) => survivor.file)) {
  console.log(`\n${file}: ${its.length} survived`);
  for (const { line, mutator, change } of its) console.log(`  ${line} ${mutator}: ${change}`);
}
tell('Not listed in docs/mutation.md, to be completed with a reason', unlisted.map(rowOf));
tell(
  'Listed in docs/mutation.md, but it no longer survives',
  stale.map(({ file, change }) => `${file}: ${change}`),
);
console.log(`\nScore ${score.toFixed(1)} %: ${killed} killed of ${noticeable}; ${survivors.length} survived, of which ${excused} are equivalent or out of scope.`);
if (score < LOWEST_SCORE) console.log(`It has to be ${LOWEST_SCORE} %.`);
process.exitCode = score < LOWEST_SCORE || unlisted.length > 0 || stale.length > 0 ? 1 : 0;

function rowOf({ file, change }: Survivor): string {
  return `| ${file} | ${change} |  |`;
}

function tell(what: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log(`\n${what}:\n${lines.join('\n')}`);
}
