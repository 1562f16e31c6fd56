import { z } from 'zod';

/** Tokens of model calls. Finite and non-negative. */
export const usageSchema = z.object({ input: z.number().nonnegative(), output: z.number().nonnegative() });
export type Usage = z.infer<typeof usageSchema>;

/**
 * What a runtime says a run spent: by the agent itself, and with everything that was done on its behalf. Any part may
 * be missing; the numbers are as the runtime gave them, so they may be anything.
 */
export interface UsageReport {
  readonly own?: ReportedUsage | undefined;
  readonly total?: ReportedUsage | undefined;
  /** The accounts of the runs below, each named by the prompt that it was given. */
  readonly children?: readonly (UsageReport & { readonly prompt: string })[] | undefined;
}

/** Numbers as a runtime reports them: unchecked. */
export interface ReportedUsage {
  readonly input: unknown;
  readonly output: unknown;
}

export const NOTHING_SPENT: Usage = { input: 0, output: 0 };

/** Adds usages up. */
export function sum(usages: readonly Usage[]): Usage {
  return usages.reduce((a, b) => ({ input: a.input + b.input, output: a.output + b.output }), NOTHING_SPENT);
}
