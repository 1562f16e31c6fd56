import adapter from '../adapters/reference/index.ts';
import { DEFAULT_CASES, DEFAULT_SEED, scenariosFor } from '../conformance/cases.ts';
import { allRequirements } from '../conformance/certify.ts';
import { decide } from '../conformance/decide.ts';
import { Evidence } from '../conformance/evidence.ts';
import { faultOf } from '../conformance/judge.ts';
import { smoke } from '../conformance/smoke.ts';
import { type Enactment, enact } from '../conformance/worlds/enact.ts';
import type { Requirement } from '../spec/model/requirement.ts';
import type { Scenario } from '../spec/model/scenario.ts';
import { CaseLimit } from './case-limit.ts';
import { digestOf, enter, keep, kept } from './unmutated.ts';

// The only test of a mutant of the reference: a certification that stops at the first MUST that is lost. Exit code 0 means that
// the reference, mutated or not, is still certified. A mutant enacts only the cases that reach it: in any other it is the reference.

/** Only a MUST decides whether a runtime is certified. */
const musts = allRequirements.filter(({ level }) => level === 'MUST');
/** How long a mutant may wait for a timer or a socket, in milliseconds: the reference has none that the kit does not hold. */
const WATCHDOG = 1_000;

const scenarios = scenariosFor(adapter, DEFAULT_SEED, DEFAULT_CASES);
/** Each case is enacted once, even where it is counted again. */
const enactments = new Map<number, Enactment>();
const limit = new CaseLimit();
const mutant = process.env['__STRYKER_ACTIVE_MUTANT__'];
const lost = mutant === undefined ? await lostUnmutated() : await lostBy(mutant);
if (lost !== undefined) console.log(lost);
process.exit(lost === undefined ? 0 : 1);

async function lostUnmutated(): Promise<string | undefined> {
  const digests: string[] = [];
  const why = await lostMust((enactment) => digests.push(digestOf(enactment)));
  keep(digests);
  return why;
}

/** The cases in which a mutant acts as the reference does need no judging; where it differs but breaks nothing, all are counted again. */
async function lostBy(id: string): Promise<string | undefined> {
  const { digests, reached, loaded } = kept();
  const evidence = new Evidence(musts);
  let differs = false;
  for (const [index, scenario] of scenarios.entries()) {
    if (!loaded.includes(id) && !reached[index]?.includes(id)) continue;
    const enactment = await enacted(scenario, index);
    if (digestOf(enactment) === digests[index]) continue;
    differs = true;
    const why = await lostIn(scenario, enactment, evidence);
    if (why !== undefined) return why;
  }
  return differs ? await lostMust() : undefined;
}

/** The first MUST that a whole certification would find lost, and why. */
async function lostMust(onEnactment?: (enactment: Enactment) => void): Promise<string | undefined> {
  enter('smoke');
  const unfit = await smoke(adapter);
  if (unfit !== undefined) return unfit;
  const evidence = new Evidence(musts);
  for (const [index, scenario] of scenarios.entries()) {
    const enactment = await enacted(scenario, index);
    onEnactment?.(enactment);
    const why = await lostIn(scenario, enactment, evidence);
    if (why !== undefined) return why;
  }
  for (const requirement of musts) {
    const why = await notHeld(requirement, evidence);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** The MUST that one case shows to be lost. What does not show again does not count: a busy machine must not pass for a test that noticed. */
async function lostIn(scenario: Scenario, enactment: Enactment, evidence: Evidence): Promise<string | undefined> {
  evidence.add(scenario, enactment);
  for (const [requirement, tally] of evidence.tallies) {
    const why = tally.broken && (await notHeld(requirement, evidence));
    if (why !== undefined) return why;
    if (tally.fault && faultOf(scenario, await enact(adapter, scenario, WATCHDOG)) !== undefined) return `${requirement.id} faulted: ${tally.fault.because}`;
    tally.broken = tally.fault = undefined;
  }
  return undefined;
}

async function notHeld(requirement: Requirement, evidence: Evidence): Promise<string | undefined> {
  const { id, verdict, because } = await decide(adapter, requirement, evidence, { shrink: false });
  return verdict === 'holds' || verdict === 'nondeterministic' ? undefined : `${id} ${verdict}: ${because}`;
}

async function enacted(scenario: Scenario, index: number): Promise<Enactment> {
  const before = enactments.get(index);
  if (before) return before;
  enter(String(index));
  limit.begin();
  const enactment = await enact(adapter, scenario, WATCHDOG);
  enactments.set(index, enactment);
  return enactment;
}
