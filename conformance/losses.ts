import { has } from '../spec/model/capability.ts';
import type { Adapter } from '../spec/model/ports.ts';
import type { Requirement } from '../spec/model/requirement.ts';
import type { Scenario } from '../spec/model/scenario.ts';
import type { Loss } from './job.ts';

/** After so many cases that ended their process, those that could only say the same are passed over. */
const ENOUGH = 3;

/**
 * What not to enact, and why: the cases that ended their process, and after a few of these every later case that is only
 * about requirements which have no verdict any more (`null`). So what they spoil is not more than they are about.
 */
export function casesToLeaveOut(adapter: Adapter, requirements: readonly Requirement[], scenarios: readonly Scenario[], lost: readonly Loss[]): ReadonlyMap<number, string | null> {
  if (lost.length < ENOUGH) return new Map(lost);
  const judged = requirements.filter(({ needs }) => needs.every((need) => has(adapter.capabilities, need)));
  const about = (scenario: Scenario): readonly Requirement[] => judged.filter(({ when }) => when(scenario));
  const spoilt = new Set(lost.flatMap(([index]) => about(scenarios[index] as Scenario)));
  const last = Math.max(...lost.map(([index]) => index));
  const passedOver = scenarios.flatMap((scenario, index): [number, null][] => (index > last && about(scenario).every((one) => spoilt.has(one)) ? [[index, null]] : []));
  return new Map<number, string | null>([...passedOver, ...lost]);
}
