import { closest } from 'fastest-levenshtein';
import { z } from 'zod';
import type { Certificate, RequirementVerdict } from './certificate.ts';
import { UsageError } from './usage-error.ts';

const schema = z.strictObject({
  $schema: z.string().optional(),
  violations: z.array(z.strictObject({ id: z.string().min(1), reason: z.string().trim().min(1) })),
});

/** The known violations of a runtime, each with the reason why it is lived with. It can only shrink. */
export interface Baseline {
  readonly violations: readonly KnownViolation[];
}

export interface KnownViolation {
  readonly id: string;
  readonly reason: string;
}

/** A certificate seen against a baseline. */
export interface Compared {
  /** Violated, and listed. */
  readonly known: readonly KnownViolation[];
  /** Violated, and not listed. */
  readonly fresh: readonly RequirementVerdict[];
  /** Listed, but kept by now or no longer applicable: to be taken off the list. */
  readonly stale: readonly KnownViolation[];
}

/** The baseline of a runtime without known violations. */
export const NO_BASELINE: Baseline = { violations: [] };

/**
 * Reads a baseline.
 * @param named how its file is named in errors.
 * @throws UsageError that names the field when it is malformed, lists an id twice or one that does not exist.
 */
export function parseBaseline(text: string, named: string, ids: readonly string[]): Baseline {
  const baseline = shaped(jsonIn(text, named), named);
  const seen = new Set<string>();
  for (const [index, { id }] of baseline.violations.entries()) {
    const field = `${named}: violations[${index}].id`;
    if (!ids.includes(id)) throw new UsageError(`${field} is ${JSON.stringify(id)}, which is no requirement. Did you mean "${closest(id, ids)}"?`);
    if (seen.has(id)) throw new UsageError(`${field} is ${JSON.stringify(id)}, which is already listed. List each violation once.`);
    seen.add(id);
  }
  return baseline;
}

/** Sorts the violations of a certificate into known and new, and finds the entries that are no longer true. */
export function compare({ verdicts }: Pick<Certificate, 'verdicts'>, { violations }: Baseline): Compared {
  const verdictOf = new Map(verdicts.map((verdict) => [verdict.id, verdict.verdict]));
  const listed = new Set(violations.map(({ id }) => id));
  return {
    known: violations.filter(({ id }) => verdictOf.get(id) === 'violated'),
    fresh: verdicts.filter(({ id, verdict }) => verdict === 'violated' && !listed.has(id)),
    stale: violations.filter(({ id }) => verdictOf.get(id) === 'holds' || verdictOf.get(id) === 'inapplicable'),
  };
}

function jsonIn(text: string, named: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${named} is not JSON: ${(error as Error).message.replace(/\s+/g, ' ')}. It has to be { "violations": [{ "id": "…", "reason": "…" }] }.`, {
      cause: error,
    });
  }
}

function shaped(given: unknown, named: string): Baseline {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = (issue?.path ?? [])
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
  throw new UsageError(`${named}: ${field || 'the whole'} is malformed (${issue?.message}). It has to be { "violations": [{ "id": "…", "reason": "…" }] }.`, {
    cause: parsed.error,
  });
}
