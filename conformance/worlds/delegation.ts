import type { Capabilities } from '../../spec/model/capability.ts';
import type { Adapter } from '../../spec/model/ports.ts';
import type { Scenario } from '../../spec/model/scenario.ts';
import { type Enactment, enact } from './enact.ts';
import { examples } from './examples.ts';
import { deal, fits } from './scenarios.ts';

/** A port's world: where its scenarios come from, and how they are enacted. */
export interface World {
  readonly port: 'delegation';
  readonly examples: Readonly<Record<string, Scenario>>;
  /** What a runtime with these capabilities can be asked to do, in so many rounds: each has some of everything. */
  deal(capabilities: Capabilities, seed: number, rounds: number): readonly (readonly Scenario[])[];
  fits(scenario: Scenario, capabilities: Capabilities): boolean;
  enact(adapter: Adapter, scenario: Scenario): Promise<Enactment>;
}

/** The world of delegation within one process. */
export const delegation: World = { port: 'delegation', examples, deal, fits, enact };
