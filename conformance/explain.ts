import { has } from '../spec/model/capability.ts';
import type { Adapter } from '../spec/model/ports.ts';
import type { Requirement } from '../spec/model/requirement.ts';
import type { Scenario } from '../spec/model/scenario.ts';
import { DEFAULT_CASES, DEFAULT_SEED, scenariosFor } from './cases.ts';
import { watchdogAfter } from './certify.ts';
import { isBroken, judge } from './judge.ts';
import { shapeOf } from './shape.ts';
import { encodeToken } from './token.ts';
import { type Enactment, enact } from './worlds/enact.ts';

/** How often scenarios of one shape could put a requirement to the test, did, and broke it. */
export interface ShapeCount {
  readonly shape: string;
  readonly cases: number;
  readonly exercised: number;
  readonly broken: number;
}

/** What a verdict on a requirement rests on. */
export interface Explanation {
  /** Why the requirement is not put to this runtime; `undefined` when it is. */
  readonly absent: string | undefined;
  readonly cases: number;
  readonly exercised: number;
  readonly interleavings: number;
  /** The most frequent first. */
  readonly shapes: readonly ShapeCount[];
  /** The smallest case that put it to the test, with its replay token. */
  readonly example: { readonly scenario: Scenario; readonly enactment: Enactment; readonly token: string } | undefined;
}

/** How many scenarios to look at, and from which seed. */
export interface ExplainOptions {
  readonly seed?: number | undefined;
  readonly cases?: number | undefined;
  readonly adapterPath?: string | undefined;
}

/** Enacts the cases that could put a requirement to the test, and counts which kinds of them did. */
export async function explain(adapter: Adapter, requirement: Requirement, options: ExplainOptions = {}): Promise<Explanation> {
  const { seed = DEFAULT_SEED, cases = DEFAULT_CASES, adapterPath = '' } = options;
  const lacking = requirement.needs.find((need) => !has(adapter.capabilities, need));
  if (lacking !== undefined) {
    const absent = `${adapter.name} declares ${lacking} absent: ${adapter.capabilities[lacking]}.`;
    return { absent, cases: 0, exercised: 0, interleavings: 0, shapes: [], example: undefined };
  }
  const looked: Look[] = [];
  for (const scenario of scenariosFor(adapter, seed, cases).filter(requirement.when)) {
    const enactment = await enact(adapter, scenario, watchdogAfter(looked.filter(hung).length));
    const judgement = judge(requirement, scenario, enactment);
    looked.push({ scenario, enactment, exercised: judgement === 'kept' || isBroken(judgement), broken: isBroken(judgement) });
  }
  const exercised = looked.filter((look) => look.exercised);
  const smallest = exercised.toSorted((a, b) => sizeOf(a) - sizeOf(b))[0];
  return {
    absent: undefined,
    cases: looked.length,
    exercised: exercised.length,
    interleavings: new Set(exercised.map(({ enactment }) => enactment.order.join(' '))).size,
    shapes: shapesOf(looked),
    example: smallest && { ...smallest, token: encodeToken({ requirement: requirement.id, adapter: adapterPath, scenario: smallest.scenario }) },
  };
}

/** A case that could put the requirement to the test. */
interface Look {
  readonly scenario: Scenario;
  readonly enactment: Enactment;
  readonly exercised: boolean;
  readonly broken: boolean;
}

function hung({ enactment }: Look): boolean {
  return enactment.trace.some(({ kind }) => kind === 'hung');
}

function shapesOf(looked: readonly Look[]): readonly ShapeCount[] {
  const groups = [...Map.groupBy(looked, ({ scenario }) => shapeOf(scenario))];
  const counted = groups.map(([shape, its]) => ({
    shape,
    cases: its.length,
    exercised: its.filter(({ exercised }) => exercised).length,
    broken: its.filter(({ broken }) => broken).length,
  }));
  return counted.toSorted((a, b) => b.exercised - a.exercised || b.cases - a.cases);
}

function sizeOf({ scenario }: Look): number {
  return JSON.stringify(scenario).length;
}
