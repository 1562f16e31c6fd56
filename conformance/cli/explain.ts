import type { RequirementId } from '../../spec/index.ts';
import type { Adapter } from '../../spec/model/ports.ts';
import type { Requirement } from '../../spec/model/requirement.ts';
import { allRequirements } from '../certify.ts';
import { type Explanation, explain } from '../explain.ts';
import { loadAdapter } from '../load-adapter.ts';
import { bareTable } from '../reporters/bare-table.ts';
import { replayCommand } from '../story.ts';
import { programOf } from '../telling/program.ts';
import { stepsOf } from '../telling/steps.ts';
import { hang, WIDTH } from '../telling/wrap.ts';
import { colours } from './colour.ts';
import { unknown } from './nearest.ts';
import { readCases, readSeed } from './numbers.ts';
import { withQuietStdout } from './quiet-stdout.ts';
import { isMutable, referenceAdapter } from './reference-adapter.ts';
import { allIds } from './selection.ts';

/** What `explain` was given. */
export interface ExplainArguments {
  readonly id: string;
  readonly json?: boolean;
  readonly cases?: string;
  readonly seed?: string;
  readonly adapter?: string;
}

/** What is done to a runtime to break the requirement, and after how many cases that was noticed. */
interface MutantDeath {
  readonly what: string;
  /** `null` when it survived, or when nothing in the runtime can be broken on purpose. */
  readonly killedAfter: number | null;
}

/** How many shapes are told. */
const SHAPES = 12;

/** Tells what a verdict on a requirement rests on. @throws UsageError when there is no such requirement. */
export async function explainAndPrint(given: ExplainArguments, entry: string): Promise<void> {
  const requirement = allRequirements.find(({ id }) => id === given.id);
  if (!requirement) throw unknown('requirement', given.id, allIds);
  const options = { cases: given.cases === undefined ? undefined : readCases(given.cases), seed: given.seed === undefined ? undefined : readSeed(given.seed) };
  const adapterPath = given.adapter ?? referenceAdapter(entry);
  const adapter = await withQuietStdout(() => loadAdapter(adapterPath));
  const explanation = await withQuietStdout(() => explain(adapter, requirement, { ...options, adapterPath: given.adapter ?? '' }));
  const mutants = await withQuietStdout(() => deathsOf(requirement, adapter, options.seed));
  process.stdout.write(`${given.json ? JSON.stringify(asData(requirement, explanation, mutants), null, 2) : inWords(requirement, explanation, mutants).join('\n')}\n`);
}

async function deathsOf({ id }: Requirement, adapter: Adapter, seed: number | undefined): Promise<readonly MutantDeath[]> {
  if (isMutable(adapter)) {
    const { killMatrix } = await import('../selftest.ts');
    const { rows } = await killMatrix(adapter, { only: id as RequirementId, seed });
    return rows.map(({ mutant, killedAfter }) => ({ what: mutant, killedAfter }));
  }
  const { mutants } = await import('../mutants/index.ts');
  return mutants[id as RequirementId].map(({ what }) => ({ what, killedAfter: null }));
}

function asData({ id, level, text }: Requirement, { example, ...counts }: Explanation, mutants: readonly MutantDeath[]): object {
  return { id, level, text, ...counts, example: example && { program: programOf(example.scenario, WIDTH), token: example.token }, mutants };
}

function inWords(requirement: Requirement, explanation: Explanation, mutants: readonly MutantDeath[]): readonly string[] {
  const { id, level, text } = requirement;
  const deaths = mutants.map(
    ({ what, killedAfter }) => `${what}${killedAfter === null ? '' : colours.dim(` (noticed after ${killedAfter} ${killedAfter === 1 ? 'case' : 'cases'})`)}`,
  );
  return [
    `${colours.bold(id)} ${colours.dim(level)}`,
    ...hang('  ', text),
    ...part('How often it came up', hang('    ', counted(explanation))),
    ...part('In which kinds of scenario', shapeLines(explanation)),
    ...part('For example', exampleLines(requirement, explanation)),
    ...part(
      'What breaks it',
      deaths.flatMap((death) => hang('    - ', death)),
    ),
  ];
}

function part(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', `  ${colours.cyan(title)}`, ...lines];
}

function counted({ absent, cases, exercised, interleavings }: Explanation): string {
  if (absent !== undefined) return absent;
  return `${cases} cases could put it to the test; ${exercised} did, in ${interleavings} different orders of completion.`;
}

function shapeLines({ shapes }: Explanation): readonly string[] {
  if (shapes.length === 0) return [];
  const rest = shapes.slice(SHAPES);
  const total = (of: 'cases' | 'exercised' | 'broken'): number => rest.reduce((sum, shape) => sum + shape[of], 0);
  const told =
    rest.length === 0
      ? shapes
      : [...shapes.slice(0, SHAPES), { shape: `${rest.length} other kinds`, cases: total('cases'), exercised: total('exercised'), broken: total('broken') }];
  const rows = told.map(({ shape, cases, exercised, broken }) => [shape, String(cases), String(exercised), String(broken)]);
  const columns = { head: ['', 'could', 'did', 'broke'], widths: [58, 6, 6, 6], aligns: ['left', 'right', 'right', 'right'] } as const;
  return bareTable(columns, rows).map((line) => `    ${line}`);
}

function exampleLines({ needs }: Requirement, { example }: Explanation): readonly string[] {
  if (!example) return [];
  const { scenario, enactment, token } = example;
  const focus = { host: needs.includes('host'), usage: needs.includes('usage'), events: needs.includes('events') };
  const steps = stepsOf(scenario, enactment.trace, -1, focus).map((step) => (step.kind === 'gap' ? `… ${step.steps} more steps …` : step.text));
  return [
    ...programOf(scenario, WIDTH - 4).map((line) => `    ${line}`),
    '',
    ...steps.flatMap((step, index) => hang(`    ${String(index + 1).padStart(2)}. `, step)),
    '',
    `    ${colours.cyan(replayCommand(token))}`,
  ];
}
