import fc from 'fast-check';
import type { Capabilities } from '../../spec/model/capability.ts';
import type { Scenario } from '../../spec/model/scenario.ts';

export const delegation = {
  examples: {} as Readonly<Record<string, Scenario>>,
  fits: (_scenario: Scenario, _capabilities: Capabilities): boolean => true,
  scenarios: (_capabilities: Capabilities): fc.Arbitrary<Scenario> => fc.constant({ runs: [{ kind: 'agent', agent: 'planner', turns: [], ending: 'answer', usage: 'sound' }], host: 'record', built: false, schedule: [] }),
};
