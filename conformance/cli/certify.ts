import { readFileSync, writeFileSync } from 'node:fs';
import { type Baseline, compare, NO_BASELINE, parseBaseline } from '../baseline.ts';
import type { Progress } from '../certify-options.ts';
import type { CertifyJob, Told } from '../job.ts';
import { progressReporter } from '../reporters/progress.ts';
import { render, type Report } from '../reporters/report.ts';
import { UsageError } from '../usage-error.ts';
import { certifyWatched } from '../watch.ts';
import { coloured } from './colour.ts';
import { type ExitCode, exitCodeOf } from './exit-code.ts';
import { unknown } from './nearest.ts';
import { readCases, readDuration, readSeed } from './numbers.ts';
import { checkWritable, type Mention, type Output, pairUp } from './outputs.ts';
import { withQuietStdout } from './quiet-stdout.ts';
import { allIds, select } from './selection.ts';

/** What `certify` was given. */
export interface CertifyArguments {
  readonly adapter?: string | undefined;
  readonly profile: string;
  readonly chapter?: readonly string[];
  readonly only?: readonly string[];
  readonly cases?: string;
  readonly seed?: string;
  readonly timeBudget?: string;
  readonly baseline?: string;
  readonly mentions: readonly Mention[];
  readonly isolate: boolean;
  readonly patience?: string;
}

const PROFILES = ['in-process'];

/** Certifies an adapter and writes the reports. @throws UsageError before any work is done. */
export async function certifyAndReport(given: CertifyArguments, entry: string): Promise<ExitCode> {
  if (given.adapter === undefined) throw new UsageError('No adapter was given. Give a directory, a .ts or .js file, or a package: `delegation-tck certify ./my-adapter.ts`.');
  if (!PROFILES.includes(given.profile)) throw unknown('profile', given.profile, PROFILES);
  const job: CertifyJob = {
    kind: 'certify',
    adapter: given.adapter,
    seed: read(readSeed, given.seed),
    cases: read(readCases, given.cases),
    timeBudget: read(readDuration, given.timeBudget),
    requirements: select(given.chapter, given.only),
  };
  const patience = read((duration) => readDuration(duration, '--patience'), given.patience);
  const outputs = pairUp(given.mentions);
  const baseline = readBaseline(given.baseline);
  checkWritable(outputs);
  const progress = progressReporter(process.stderr, job.requirements ?? allIds);
  const certifying = given.isolate ? certifyWatched(job, { entry, patience, onProgress: progress.onProgress }) : certifyHere(job, progress.onProgress);
  const told = await certifying.finally(progress.end);
  const compared = compare(told.certificate, baseline);
  writeAll(outputs, { ...told, compared });
  return exitCodeOf(told.certificate, compared);
}

/** Certifies in this process, for a debugger: what ends it ends everything. */
async function certifyHere(job: CertifyJob, onProgress: (progress: Progress) => void): Promise<Told> {
  const { certifyAndTell } = await import('../certify-and-tell.ts');
  const { loadAdapter } = await import('../load-adapter.ts');
  return withQuietStdout(async () => certifyAndTell(await loadAdapter(job.adapter), job, { onProgress }));
}

function read<T>(reader: (given: string) => T, given: string | undefined): T | undefined {
  return given === undefined ? undefined : reader(given);
}

function readBaseline(file: string | undefined): Baseline {
  if (file === undefined) return NO_BASELINE;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--baseline ${file} cannot be read (${(error as Error).message}). Give a file that exists.`, { cause: error });
  }
  return parseBaseline(text, file, allIds);
}

/** Writes files first: what goes wrong with them must not go under. */
function writeAll(outputs: readonly Output[], report: Report): void {
  for (const { reporter, file } of outputs) if (file !== undefined) writeFileSync(file, render(reporter, report, { colour: false }));
  for (const { reporter, file } of outputs) if (file === undefined) process.stdout.write(render(reporter, report, { colour: coloured }));
}
