import { type Capability, has } from '../spec/model/capability.ts';
import type { Adapter } from '../spec/model/ports.ts';
import type { Requirement } from '../spec/model/requirement.ts';
import type { Scenario } from '../spec/model/scenario.ts';
import type { RequirementVerdict } from './certificate.ts';
import type { CertifyOptions } from './certify-options.ts';
import type { Evidence, Finding } from './evidence.ts';
import { isBroken, judge } from './judge.ts';
import { type Shrunk, shrink } from './shrink.ts';
import { encodeToken } from './token.ts';
import { enact } from './worlds/enact.ts';

/** A requirement that came up less often than this is inconclusive. */
const MINIMUM_EXERCISED = 5;
/** A requirement about concurrent calls that saw fewer orders than this is inconclusive. */
const MINIMUM_INTERLEAVINGS = 2;

/** The capabilities whose absence shows, and how: a runtime that claims one and lacks it has a violation. */
const UNSEEN: Readonly<Partial<Record<Capability, string>>> = {
  host: 'no tool call was handed a host value',
  scratchpad: 'no tool call was handed a scratchpad',
  deps: 'no tool call was handed dependencies',
  usage: 'no run reported usage',
  abort: 'no run that was aborted ended as cancelled',
  streaming: 'no run that was asked for a stream gave one',
  structured: 'no model was asked for a structured answer',
  runners: 'no model was asked through a runner that the scenario names',
  events: 'no subscriber was told of an event',
};

/** Decides on one requirement from what the cases said. What weighs most comes first. */
export async function decide(adapter: Adapter, requirement: Requirement, evidence: Evidence, options: CertifyOptions): Promise<RequirementVerdict> {
  const tally = evidence.tallies.get(requirement);
  const base = {
    ...identity(requirement),
    exercised: tally?.exercised ?? 0,
    cases: tally?.cases ?? 0,
    ...(tally && tally.orders.size > 0 && { interleavings: tally.orders.size }),
  };
  if (!tally) return { ...base, verdict: 'inapplicable', because: absence(requirement, adapter) };
  if (tally.broken) return { ...base, ...(await violated(adapter, requirement, tally.broken, options)) };
  const neverSeen = requirement.needs.find((need) => need in UNSEEN && !evidence.saw(need));
  if (neverSeen && tally.cases > 0 && !tally.fault)
    return {
      ...base,
      verdict: 'violated',
      because: `The adapter claims ${neverSeen}, but none was ever seen: ${UNSEEN[neverSeen]}. Make it show, or declare it absent with a reason.`,
    };
  if (tally.wavered) return { ...base, verdict: 'nondeterministic', ...tally.wavered, token: tokenFor(requirement, tally.wavered.scenario, options) };
  if (tally.fault) return { ...base, verdict: 'faulted', ...tally.fault, token: tokenFor(requirement, tally.fault.scenario, options) };
  if (tally.exercised < MINIMUM_EXERCISED)
    return { ...base, verdict: 'inconclusive', because: `The situation came up ${tally.exercised} times in ${evidence.cases} cases; it takes ${MINIMUM_EXERCISED}.` };
  if (requirement.needs.includes('parallel') && tally.orders.size < MINIMUM_INTERLEAVINGS) {
    return {
      ...base,
      verdict: 'inconclusive',
      because: `Concurrent calls were only ever seen in ${tally.orders.size} order. Does the runtime execute the calls of one turn at the same time?`,
    };
  }
  return { ...base, verdict: 'holds' };
}

/** Shrinks a counterexample and enacts it once more: one that does not come back is no violation that can be replayed. */
async function violated(
  adapter: Adapter,
  requirement: Requirement,
  found: Finding,
  options: CertifyOptions,
): Promise<Pick<RequirementVerdict, 'verdict' | 'because' | 'scenario' | 'token' | 'shrinks'>> {
  options.onProgress?.({ kind: 'shrinking', id: requirement.id });
  const breaks = async (scenario: Scenario): Promise<boolean> => isBroken(judge(requirement, scenario, await enact(adapter, scenario)));
  const { scenario, shrinks }: Shrunk = options.shrink === false ? { scenario: found.scenario, shrinks: 0 } : await shrink(found.scenario, breaks);
  const again = judge(requirement, scenario, await enact(adapter, scenario));
  const evidence = { scenario, shrinks, token: tokenFor(requirement, scenario, options) };
  return isBroken(again)
    ? { verdict: 'violated', because: again.broken, ...evidence }
    : { verdict: 'nondeterministic', because: `It was broken once (${found.because}), and kept when the same case was enacted again.`, ...evidence };
}

function tokenFor(requirement: Requirement, scenario: Scenario, options: CertifyOptions): string {
  return encodeToken({ requirement: requirement.id, adapter: options.adapterPath ?? '', scenario });
}

/** The verdict on a requirement that could not be put to the test at all. */
export function faulted(requirement: Requirement, because: string): RequirementVerdict {
  return { ...identity(requirement), exercised: 0, cases: 0, verdict: 'faulted', because };
}

function identity({ id, level }: Requirement): Pick<RequirementVerdict, 'id' | 'chapter' | 'level'> {
  return { id, level, chapter: id.slice(0, id.indexOf('.')) };
}

function absence({ needs }: Requirement, { capabilities }: Adapter): string {
  return needs.flatMap((need) => (has(capabilities, need) ? [] : [`${need} is declared absent: ${capabilities[need]}`])).join('; ');
}
