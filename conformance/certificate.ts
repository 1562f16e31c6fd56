import type { Scenario } from '../spec/model/scenario.ts';

/** What certification says of one requirement. */
export const VERDICTS = ['holds', 'violated', 'inapplicable', 'inconclusive', 'nondeterministic', 'faulted'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The verdict on one requirement, with its evidence. */
export interface RequirementVerdict {
  readonly id: string;
  readonly chapter: string;
  readonly level: 'MUST' | 'SHOULD';
  readonly verdict: Verdict;
  /** In how many cases the situation came up and the requirement was judged. */
  readonly exercised: number;
  /** How many cases could have brought it up. */
  readonly cases: number;
  /** In how many different orders waiting tool calls were let through in the cases that exercised it. */
  readonly interleavings?: number;
  /** What was seen instead, or why there is no verdict. */
  readonly because?: string;
  /** The minimal counterexample, or the case that could not be enacted. */
  readonly scenario?: Scenario;
  /** Enacts that one case again. */
  readonly token?: string;
  /** How many steps the counterexample was shrunk by. */
  readonly shrinks?: number;
}

/** A whole certification run. It can be derived again from the seed. */
export interface Certificate {
  /** The version of this kit. */
  readonly kit: string;
  /** Identifies the wording of every requirement: the digest in `requirements.lock.json`. */
  readonly spec: string;
  readonly node: string;
  readonly runtime: { readonly name: string; readonly version: string };
  readonly profile: string;
  readonly seed: number;
  readonly cases: number;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** The capabilities that the adapter declares absent, with its reasons. */
  readonly absent: readonly { readonly capability: string; readonly reason: string }[];
  /** What is worth knowing but changes no verdict. */
  readonly notices: readonly string[];
  readonly verdicts: readonly RequirementVerdict[];
  readonly summary: Readonly<Record<Verdict, number>>;
  /** Every MUST holds or is inapplicable. */
  readonly certified: boolean;
}

/** Counts the verdicts. */
export function summarize(verdicts: readonly RequirementVerdict[]): Readonly<Record<Verdict, number>> {
  return Object.fromEntries(VERDICTS.map((verdict) => [verdict, verdicts.filter((v) => v.verdict === verdict).length])) as Record<Verdict, number>;
}

/** Tells whether every MUST holds or is inapplicable, and at least one holds. */
export function isCertified(verdicts: readonly RequirementVerdict[]): boolean {
  const musts = verdicts.filter(({ level }) => level === 'MUST');
  return musts.every(({ verdict }) => verdict === 'holds' || verdict === 'inapplicable') && verdicts.some(({ verdict }) => verdict === 'holds');
}
