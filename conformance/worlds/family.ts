import type fc from 'fast-check';
import type { Capability } from '../../spec/model/capability.ts';
import type { Scenario } from '../../spec/model/scenario.ts';

/** A situation that requirements are about: how many scenarios of a round are of its kind, and what a runtime has to have for it. */
export interface Family {
  readonly share: number;
  readonly arbitrary: fc.Arbitrary<Scenario>;
  readonly needs?: readonly Capability[];
}
