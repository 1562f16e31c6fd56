import type { Limits } from '../spec/model/scenario.ts';
import { InvalidDefinitionError } from './errors.ts';

/** Limits in force: each is a positive integer, or Infinity where nothing limits it. */
export type LimitsInForce = Readonly<Record<keyof Limits, number>>;

/**
 * The limits of a run that states none.
 * @requirement recursion.default-limit-exists
 */
export const DEFAULT_LIMITS: LimitsInForce = Object.freeze({ depth: 16, visits: Number.POSITIVE_INFINITY, steps: 1000 });

const UNLIMITED: LimitsInForce = Object.freeze({ depth: Infinity, visits: Infinity, steps: Infinity });

/**
 * The limits that a run starts with: exactly those it states, or else the defaults.
 * @throws InvalidDefinitionError when one is not a positive integer
 */
export function limitsOf(stated: Limits | undefined): LimitsInForce {
  checkLimits('The run', stated);
  return statesAny(stated) ? narrowed(UNLIMITED, stated) : DEFAULT_LIMITS;
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

function statesAny(limits: Limits | undefined): limits is Limits {
  return limits?.depth !== undefined || limits?.visits !== undefined || limits?.steps !== undefined;
}
