import type { Requirement } from '../spec/model/requirement.ts';
import type { RequirementVerdict } from './certificate.ts';

/** How to certify. */
export interface CertifyOptions {
  /** Any 32-bit integer; the same seed gives the same cases. */
  readonly seed?: number | undefined;
  /** How many scenarios to generate, besides the examples. */
  readonly cases?: number | undefined;
  /** Only these requirements; all of the profile when absent. */
  readonly requirements?: readonly Requirement[] | undefined;
  /** Stops after that many milliseconds; what was not reached is inconclusive. */
  readonly timeBudget?: number | undefined;
  /** How the adapter was named, for the replay tokens. */
  readonly adapterPath?: string | undefined;
  /** `false` skips the stage that tells a wrong adapter from a wrong runtime. */
  readonly smoke?: boolean | undefined;
  /** `false` leaves counterexamples as they were found. */
  readonly shrink?: boolean | undefined;
  /** Cases that are not enacted, by index: those that ended the process that enacted them, and how; `null` passes one over. */
  readonly lost?: ReadonlyMap<number, string | null> | undefined;
  /** Told of every step, as it happens. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** A sign of progress. `index` counts from 0; the examples come first. */
export type Progress =
  | { readonly kind: 'case'; readonly index: number; readonly of: number }
  | { readonly kind: 'shrinking'; readonly id: string }
  | { readonly kind: 'verdict'; readonly verdict: RequirementVerdict }
  | { readonly kind: 'chapter'; readonly chapter: string; readonly verdicts: readonly RequirementVerdict[] };
