import type { Limits } from '../spec/model/scenario.ts';
import { InvalidDefinitionError } from './errors.ts';

/** Limits in force: each is a positive integer, or Infinity where nothing limits it. */
export type LimitsInForce = Readonly<Record<keyof Limits, number>>;

/**
 * The limits of a run, of each kind that it does not state itself.
 * @requirement recursion.default-limit-exists
 */
export const DEFAULT_LIMITS: LimitsInForce = Object.freeze({ depth: 16, visits: Number.POSITIVE_INFINITY, steps: 1000 });

/**
 * The limits that a run starts with: of each kind the one it states, or else the default. So to go deeper than a
 * thousand delegations, a run states its steps as well.
 * @throws InvalidDefinitionError when one is not a positive integer
 */
export function limitsOf(stated: Limits | undefined): LimitsInForce {
  if (stated === undefined) return DEFAULT_LIMITS;
  checkLimits('The run', stated);
  const { depth = DEFAULT_LIMITS.depth, visits = DEFAULT_LIMITS.visits, steps = DEFAULT_LIMITS.steps } = stated;
  return { depth, visits, steps };
}

/**
 * The limits below a node that has some of its own: of each, the smaller.
 * @requirement recursion.limits-only-narrow
 */
export function narrowed(inherited: LimitsInForce, own: Limits | undefined): LimitsInForce {
  if (own === undefined) return inherited;
  const { depth = Infinity, visits = Infinity, steps = Infinity } = own;
  return {
    depth: Math.min(inherited.depth, depth),
    visits: Math.min(inherited.visits, visits),
    steps: Math.min(inherited.steps, steps),
  };
}

/** @throws InvalidDefinitionError when a limit is not a positive integer */
export function checkLimits(whose: string, limits: Limits | undefined): void {
  for (const [name, value] of Object.entries(limits ?? {})) {
    if (value !== undefined && !(Number.isInteger(value) && value > 0)) {
      throw new InvalidDefinitionError(`${whose} has limits.${name} ${value}. Make it a positive integer, or leave it out.`);
    }
  }
}
