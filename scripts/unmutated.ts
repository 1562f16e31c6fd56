import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Enactment } from '../conformance/worlds/enact.ts';

/** What the reference does while no mutant is active, case by case. */
export interface Unmutated {
  /** What was seen in each case, as a digest. */
  readonly digests: readonly string[];
  /** The mutants whose code ran in each case, as Stryker numbers them. */
  readonly reached: readonly (readonly string[])[];
  /** The mutants whose code ran outside of any case: at load time. */
  readonly loaded: readonly string[];
}

/** Where Stryker's instrumented code counts what runs. It is there as soon as such a file was loaded. */
interface Instrumented {
  currentTestId?: string | undefined;
  readonly mutantCoverage?: { readonly static: object; readonly perTest: Readonly<Record<string, object>> };
}

/** In Stryker's sandbox, which is its working directory: numbers of mutants mean nothing elsewhere. */
const FOLDER = 'build';
const FILE = `${FOLDER}/unmutated.json`;

/** Has Stryker's counts go to one case. */
export function enter(test: string): void {
  const instrumented = counts();
  if (instrumented) instrumented.currentTestId = test;
}

/** Writes down what the mutants are compared with. */
export function keep(digests: readonly string[]): void {
  const { perTest = {}, static: loaded = {} } = counts()?.mutantCoverage ?? {};
  const reached = digests.map((_, index) => Object.keys(perTest[String(index)] ?? {}));
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(FILE, JSON.stringify({ digests, reached, loaded: Object.keys(loaded) } satisfies Unmutated));
}

/** Reads what `keep` wrote. @throws when the unmutated reference was not run before. */
export function kept(): Unmutated {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

/** Two enactments with the same digest are judged the same. */
export function digestOf({ trace, order, fault }: Enactment): string {
  return createHash('sha256')
    .update(JSON.stringify([trace, order, fault?.message]))
    .digest('base64');
}

function counts(): Instrumented | undefined {
  return (globalThis as { __stryker__?: Instrumented }).__stryker__;
}
