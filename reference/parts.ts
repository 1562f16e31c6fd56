import type { Parts } from '../spec/model/parts.ts';
import { createGuard } from './recursion.ts';
import { createScratchpad } from './scratchpad.ts';
import { createLedger } from './usage.ts';

/** The parts that a runtime is made of. A runner is built from these, or from others of the same shape. */
export function createParts(): Parts {
  return { createScratchpad, createGuard, createLedger, carry };
}

/**
 * Hands every tool call exactly what its agent was handed.
 * @requirement host.same-value-at-every-call
 * @requirement host.is-opaque
 */
const carry: Parts['carry'] = (ambient) => ambient;
