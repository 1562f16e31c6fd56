import { type Capability, CAPABILITIES, has } from '../spec/model/capability.ts';
import type { Adapter } from '../spec/model/ports.ts';
import type { Requirement } from '../spec/model/requirement.ts';
import type { Scenario } from '../spec/model/scenario.ts';
import { chapters, specDigest } from '../spec/index.ts';
import { DEFAULT_CASES, DEFAULT_SEED, scenariosFor } from './cases.ts';
import type { CertifyOptions } from './certify-options.ts';
import { type Certificate, isCertified, type RequirementVerdict, summarize } from './certificate.ts';
import { decide, faulted } from './decide.ts';
import { Evidence } from './evidence.ts';
import { smoke } from './smoke.ts';
import { VERSION } from './version.ts';
import { enact } from './worlds/enact.ts';

/** After this many cases that hung, the kit waits less long for the next. */
const HANGS_WAITED_FOR = 3;
/** How long it waits then, in milliseconds. */
const SHORT_WATCHDOG = 200;
/** One case in this many is enacted twice, to see whether it says the same again. */
const TWICE_EVERY = 3;

/** How long a runtime may wait for something of its own, when so many cases hung before, in milliseconds; `undefined` is the usual time. */
export function watchdogAfter(hung: number): number | undefined {
  return hung < HANGS_WAITED_FOR ? undefined : SHORT_WATCHDOG;
}

/** Every requirement of the profile. */
export const allRequirements: readonly Requirement[] = chapters.flatMap((chapter) => chapter.requirements as readonly Requirement[]);

/**
 * Certifies a runtime: enacts every scenario once, has all requirements judge it, and shrinks what is broken. Each
 * requirement gets a verdict; one that was not put to the test never holds.
 */
export async function certify(adapter: Adapter, options: CertifyOptions = {}): Promise<Certificate> {
  const { seed = DEFAULT_SEED, cases = DEFAULT_CASES, requirements = allRequirements } = options;
  const startedAt = new Date().toISOString();
  const unfit = options.smoke === false ? undefined : await smoke(adapter);
  const evidence = unfit === undefined ? await gather(adapter, requirements, scenariosFor(adapter, seed, cases), options) : new Evidence(requirements);
  const verdicts =
    unfit === undefined
      ? await decideAll(adapter, evidence, options)
      : requirements.map((requirement) => faulted(requirement, `The adapter did not get past the smoke stage. ${unfit}`));
  return {
    kit: VERSION,
    spec: specDigest,
    node: process.version,
    runtime: { name: adapter.name, version: adapter.version },
    profile: 'in-process',
    seed,
    cases: evidence.cases,
    startedAt,
    absent: (Object.keys(CAPABILITIES) as Capability[]).flatMap((capability) =>
      has(adapter.capabilities, capability) ? [] : [{ capability, reason: String(adapter.capabilities[capability]) }],
    ),
    notices: evidence.notices(adapter),
    verdicts,
    summary: summarize(verdicts),
    certified: isCertified(verdicts),
  };
}

async function gather(adapter: Adapter, requirements: readonly Requirement[], scenarios: readonly Scenario[], options: CertifyOptions): Promise<Evidence> {
  const judged = requirements.filter(({ needs }) => needs.every((need) => has(adapter.capabilities, need)));
  const evidence = new Evidence(judged);
  const deadline = performance.now() + (options.timeBudget ?? Number.POSITIVE_INFINITY);
  for (const [index, scenario] of scenarios.entries()) {
    if (performance.now() > deadline) break;
    options.onProgress?.({ kind: 'case', index, of: scenarios.length });
    const lost = options.lost?.get(index);
    if (lost === null) continue;
    if (lost !== undefined) {
      evidence.lose(scenario, lost);
      continue;
    }
    const watchdog = watchdogAfter(evidence.hung);
    const enactment = await enact(adapter, scenario, watchdog);
    evidence.add(scenario, enactment);
    if (index % TWICE_EVERY === 0) evidence.again(scenario, enactment, await enact(adapter, scenario, watchdog));
  }
  return evidence;
}

async function decideAll(adapter: Adapter, evidence: Evidence, options: CertifyOptions): Promise<readonly RequirementVerdict[]> {
  const wanted = options.requirements ?? allRequirements;
  const verdicts: RequirementVerdict[] = [];
  for (const chapter of chapters) {
    const its = wanted.filter(({ id }) => chapter.requirements.some((requirement) => requirement.id === id));
    if (its.length === 0) continue;
    for (const requirement of its) {
      const verdict = await decide(adapter, requirement, evidence, options);
      verdicts.push(verdict);
      options.onProgress?.({ kind: 'verdict', verdict });
    }
    options.onProgress?.({ kind: 'chapter', chapter: chapter.name, verdicts: verdicts.filter((verdict) => verdict.chapter === chapter.name) });
  }
  return verdicts;
}
