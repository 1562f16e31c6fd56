import type { Adapter } from '../spec/model/ports.ts';
import type { Scenario } from '../spec/model/scenario.ts';
import { delegation } from './worlds/delegation.ts';

/** The seed of a run that names none. */
export const DEFAULT_SEED = 20_260_701;
/** How many scenarios are generated, besides the examples. */
export const DEFAULT_CASES = 600;

/** The cases of a certification: the hand-picked examples that the runtime can enact, then the generated ones. */
export function scenariosFor(adapter: Pick<Adapter, 'capabilities'>, seed: number, cases: number): readonly Scenario[] {
  const examples = Object.values(delegation.examples).filter((scenario) => delegation.fits(scenario, adapter.capabilities));
  const [{ length }] = delegation.deal(adapter.capabilities, seed, 1) as readonly [readonly Scenario[]];
  const generated = delegation.deal(adapter.capabilities, seed, Math.ceil(cases / length)).flat();
  return [...examples, ...generated.slice(0, cases)];
}
