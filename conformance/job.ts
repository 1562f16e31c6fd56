import type { Certificate } from './certificate.ts';
import type { Progress } from './certify-options.ts';
import type { Replayed } from './replay.ts';
import type { Story } from './story.ts';

/** What is certified, as it crosses to the watched process. */
export interface CertifyJob {
  readonly kind: 'certify';
  readonly adapter: string;
  readonly seed?: number | undefined;
  readonly cases?: number | undefined;
  /** Ids; all when absent. */
  readonly requirements?: readonly string[] | undefined;
  readonly timeBudget?: number | undefined;
  readonly shrink?: boolean | undefined;
  /** Pairs of index and how the case ended its process. */
  readonly lost?: readonly Loss[] | undefined;
  /** How the process ended again and again, or before the first case: nothing is enacted any more. */
  readonly givenUp?: string | undefined;
}

/** A case that ended its process: its index, and how. */
export type Loss = readonly [index: number, how: string];

/** One case to enact again, as it crosses to the watched process. */
export interface ReplayJob {
  readonly kind: 'replay';
  readonly adapter: string;
  readonly token: string;
}

/** What the watched process says. `beat` is a sign of life: a case begins to be enacted. */
export type Message =
  | { readonly kind: 'loaded'; readonly runtime: Certificate['runtime'] }
  | { readonly kind: 'beat' }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'certificate'; readonly certificate: Certificate }
  | { readonly kind: 'story'; readonly story: Story }
  | { readonly kind: 'replayed'; readonly replayed: Replayed }
  | { readonly kind: 'refused'; readonly message: string; readonly stack?: string | undefined }
  | { readonly kind: 'uncaught'; readonly message: string }
  | { readonly kind: 'done' };

/** A certificate, and its violations as stories. */
export interface Told {
  readonly certificate: Certificate;
  readonly stories: readonly Story[];
}
