import type { RequirementId } from '../spec/index.ts';
import { has } from '../spec/model/capability.ts';
import type { MutableAdapter } from '../spec/model/parts.ts';
import type { Adapter } from '../spec/model/ports.ts';
import type { Scenario } from '../spec/model/scenario.ts';
import { DEFAULT_SEED, scenariosFor } from './cases.ts';
import { allRequirements } from './certify.ts';
import { isBroken, judge } from './judge.ts';
import type { Mutant } from './mutant.ts';
import { mutants } from './mutants/index.ts';
import { enact } from './worlds/enact.ts';

/** Within how many cases every mutant has to die. */
export const KILL_WITHIN = 200;

/** What became of one mutant. */
export interface MatrixRow {
  readonly requirement: string;
  /** What the mutant does wrong. */
  readonly mutant: string;
  /** After how many cases its requirement was seen broken; `null` when it survived. */
  readonly killedAfter: number | null;
  /** Every other requirement that was broken. */
  readonly alsoBroke: readonly string[];
}

/** The proof that the kit can fail: every requirement catches its mutants, and no mutant is blamed for what it does right. */
export interface KillMatrix {
  readonly requirements: number;
  readonly mutants: number;
  readonly killed: number;
  readonly survivors: readonly { readonly requirement: string; readonly mutant: string }[];
  /** Requirements that a mutant broke without having declared it. */
  readonly stray: readonly { readonly requirement: string; readonly mutant: string; readonly alsoBroke: string }[];
  readonly rows: readonly MatrixRow[];
}

export interface KillOptions {
  /** Only the mutants of this requirement. */
  readonly only?: RequirementId | undefined;
  readonly cases?: number | undefined;
  readonly seed?: number | undefined;
  readonly onProgress?: ((done: number, of: number) => void) | undefined;
}

/** Puts every mutant of a correct runtime to all requirements. */
export async function killMatrix(adapter: MutableAdapter, options: KillOptions = {}): Promise<KillMatrix> {
  const { cases = KILL_WITHIN, seed = DEFAULT_SEED, only } = options;
  const all = Object.entries(mutants).flatMap(([requirement, its]) =>
    only === undefined || only === requirement ? its.map((mutant): [string, Mutant] => [requirement, mutant]) : [],
  );
  const scenarios = scenariosFor(adapter, seed, cases);
  const rows: MatrixRow[] = [];
  const stray: KillMatrix['stray'][number][] = [];
  for (const [requirement, mutant] of all) {
    const broken = await brokenBy(mutant.of(adapter), scenarios);
    const alsoBroke = [...broken.keys()].filter((id) => id !== requirement);
    rows.push({ requirement, mutant: mutant.what, killedAfter: broken.get(requirement) ?? null, alsoBroke });
    stray.push(...alsoBroke.filter((id) => !mutant.alsoBreaks?.includes(id as RequirementId)).map((id) => ({ requirement, mutant: mutant.what, alsoBroke: id })));
    options.onProgress?.(rows.length, all.length);
  }
  const survivors = rows.filter(({ killedAfter }) => killedAfter === null).map(({ requirement, mutant }) => ({ requirement, mutant }));
  return { requirements: new Set(rows.map(({ requirement }) => requirement)).size, mutants: rows.length, killed: rows.length - survivors.length, survivors, stray, rows };
}

/** Every requirement that a runtime breaks, with the number of the first case in which it does. */
async function brokenBy(adapter: Adapter, scenarios: readonly Scenario[]): Promise<ReadonlyMap<string, number>> {
  const judged = allRequirements.filter(({ needs }) => needs.every((need) => has(adapter.capabilities, need)));
  const broken = new Map<string, number>();
  for (const [index, scenario] of scenarios.entries()) {
    const enactment = await enact(adapter, scenario);
    for (const requirement of judged) {
      if (!broken.has(requirement.id) && isBroken(judge(requirement, scenario, enactment))) broken.set(requirement.id, index + 1);
    }
  }
  return broken;
}
