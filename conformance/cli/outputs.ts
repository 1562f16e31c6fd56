import { closeSync, existsSync, openSync, unlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../usage-error.ts';
import { unknown } from './nearest.ts';

export const REPORTERS = ['console', 'json', 'junit'] as const;
export type ReporterName = (typeof REPORTERS)[number];

/** Where one report goes. */
export interface Output {
  readonly reporter: ReporterName;
  /** Absent for standard output. */
  readonly file?: string | undefined;
}

/** How standard output is named on the command line. */
const STDOUT = '-';

/** An option as it stood on the command line. */
export type Mention = { readonly option: 'reporter' | 'out'; readonly value: string };

/**
 * Tells which report goes where. With as many `--out` as `--reporter` they pair up in order; with fewer, each belongs to
 * the reporter that stands before it. What has none goes to standard output, as with `-`; without any reporter the
 * console's report goes there.
 * @throws UsageError when a name is not known, an `--out` belongs to nobody, or two reports go to the same place.
 */
export function pairUp(mentions: readonly Mention[]): readonly Output[] {
  const names = mentions.filter(({ option }) => option === 'reporter').map(({ value }) => known(value));
  const files = mentions.filter(({ option }) => option === 'out').map(({ value }) => value);
  if (files.length > names.length) throw new UsageError(`--out ${files.at(-1)} has no reporter of its own. Give one --reporter (${REPORTERS.join(', ')}) for each --out.`);
  if (names.length === 0) return [{ reporter: 'console' }];
  const paired = files.length === names.length ? names.map((reporter, index) => ({ reporter, file: files[index] })) : byPlace(mentions);
  const outputs = paired.map(({ reporter, file }) => (file === STDOUT ? { reporter } : { reporter, file }));
  checkApart(outputs);
  return outputs;
}

function known(name: string): ReporterName {
  const reporter = REPORTERS.find((one) => one === name);
  if (!reporter) throw unknown('reporter', name, REPORTERS);
  return reporter;
}

function byPlace(mentions: readonly Mention[]): readonly Output[] {
  const outputs: Output[] = [];
  for (const { option, value } of mentions) {
    if (option === 'reporter') {
      outputs.push({ reporter: known(value) });
      continue;
    }
    const last = outputs.pop();
    if (!last || last.file !== undefined) throw new UsageError(`--out ${value} does not stand after a --reporter of its own. Write --reporter NAME --out FILE for each.`);
    outputs.push({ ...last, file: value });
  }
  return outputs;
}

function checkApart(outputs: readonly Output[]): void {
  for (const [index, { reporter, file }] of outputs.entries()) {
    const other = outputs.slice(0, index).find((one) => placeOf(one.file) === placeOf(file));
    if (other && file === undefined) throw new UsageError(`${other.reporter} and ${reporter} would both write to standard output. Give one of them --out FILE.`);
    if (other) throw new UsageError(`${other.reporter} and ${reporter} would both write to ${file}. Give each a file of its own.`);
  }
}

function placeOf(file: string | undefined): string | undefined {
  return file === undefined ? undefined : resolve(file);
}

/** Makes sure that every file can be written, before the work is done. What is in them stays. @throws UsageError when one can't. */
export function checkWritable(outputs: readonly Output[]): void {
  for (const { reporter, file } of outputs) {
    if (file === undefined) continue;
    const isNew = !existsSync(file);
    try {
      closeSync(openSync(file, 'a'));
      if (isNew) unlinkSync(file);
    } catch (error) {
      throw new UsageError(`--out ${file} cannot be written (${(error as Error).message}). Give a file in a directory that exists for the ${reporter} report.`, { cause: error });
    }
  }
}
