import fc from 'fast-check';
import { type Capability, CAPABILITIES, has } from '../spec/model/capability.ts';
import type { Adapter } from '../spec/model/ports.ts';
import type { Requirement } from '../spec/model/requirement.ts';
import type { Scenario } from '../spec/model/scenario.ts';
import type { Trace } from '../spec/model/trace.ts';
import { chapters, specDigest } from '../spec/index.ts';
import { type Certificate, isCertified, type RequirementVerdict, summarize } from './certificate.ts';
import { type CaseJudgement, isBroken, judge } from './judge.ts';
import { type Shrunk, shrink } from './shrink.ts';
import { smoke } from './smoke.ts';
import { encodeToken } from './token.ts';
import { VERSION } from './version.ts';
import { type Enactment, enact } from './worlds/enact.ts';
import { delegation } from './worlds/delegation.ts';

/** The seed of a run that names none. */
export const DEFAULT_SEED = 20_260_701;
/** How many scenarios are generated, besides the examples. */
export const DEFAULT_CASES = 300;
/** A requirement that came up less often than this is inconclusive. */
const MINIMUM_EXERCISED = 5;
/** A requirement about concurrent calls that saw fewer orders than this is inconclusive. */
const MINIMUM_INTERLEAVINGS = 2;
/** After this many cases that hung, the kit waits less long for the next. */
const HANGS_WAITED_FOR = 3;
/** How long it waits then, in milliseconds. */
const SHORT_WATCHDOG = 200;
/** One case in this many is enacted twice, to see whether it says the same again. */
const TWICE_EVERY = 10;

export interface CertifyOptions {
  /** Any 32-bit integer; the same seed gives the same cases. */
  readonly seed?: number | undefined;
  /** How many scenarios to generate, besides the examples. */
  readonly cases?: number | undefined;
  /** Only these requirements; all of the profile when absent. */
  readonly requirements?: readonly Requirement[] | undefined;
  /** Stops after that many milliseconds; what was not reached is inconclusive. */
  readonly timeBudget?: number | undefined;
  /** How the adapter was named, for the replay tokens. */
  readonly adapterPath?: string | undefined;
  /** `false` skips the stage that tells a wrong adapter from a wrong runtime. */
  readonly smoke?: boolean | undefined;
  /** `false` leaves counterexamples as they were found. */
  readonly shrink?: boolean | undefined;
  /** Cases that ended the process that enacted them, by index, and how. They are not enacted again. */
  readonly lost?: ReadonlyMap<number, string> | undefined;
  /** Told of every step, as it happens. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** A sign of progress. `index` counts from 0; the examples come first. */
export type Progress =
  | { readonly kind: 'case'; readonly index: number; readonly of: number }
  | { readonly kind: 'shrinking'; readonly id: string }
  | { readonly kind: 'verdict'; readonly verdict: RequirementVerdict }
  | { readonly kind: 'chapter'; readonly chapter: string; readonly verdicts: readonly RequirementVerdict[] };

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
  const verdicts = unfit === undefined ? await decideAll(adapter, evidence, options) : requirements.map((requirement) => faulted(requirement, `The adapter did not get past the smoke stage. ${unfit}`));
  return {
    kit: VERSION,
    spec: specDigest,
    node: process.version,
    runtime: { name: adapter.name, version: adapter.version },
    profile: 'in-process',
    seed,
    cases: evidence.cases,
    startedAt,
    absent: (Object.keys(CAPABILITIES) as Capability[]).flatMap((capability) => (has(adapter.capabilities, capability) ? [] : [{ capability, reason: String(adapter.capabilities[capability]) }])),
    notices: evidence.notices(adapter),
    verdicts,
    summary: summarize(verdicts),
    certified: isCertified(verdicts),
  };
}

/** The cases of a certification: the hand-picked examples that the runtime can enact, then the generated ones. */
export function scenariosFor(adapter: Pick<Adapter, 'capabilities'>, seed: number, cases: number): readonly Scenario[] {
  const examples = Object.values(delegation.examples).filter((scenario) => delegation.fits(scenario, adapter.capabilities));
  const round = delegation.rounds(adapter.capabilities);
  const [{ length }] = fc.sample(round, { seed, numRuns: 1 }) as [readonly Scenario[]];
  const generated = fc.sample(round, { seed, numRuns: Math.ceil(cases / length) }).flat();
  return [...examples, ...generated.slice(0, cases)];
}

async function gather(adapter: Adapter, requirements: readonly Requirement[], scenarios: readonly Scenario[], options: CertifyOptions): Promise<Evidence> {
  const judged = requirements.filter(({ needs }) => needs.every((need) => has(adapter.capabilities, need)));
  const evidence = new Evidence(judged);
  const deadline = performance.now() + (options.timeBudget ?? Number.POSITIVE_INFINITY);
  for (const [index, scenario] of scenarios.entries()) {
    if (performance.now() > deadline) break;
    options.onProgress?.({ kind: 'case', index, of: scenarios.length });
    const lost = options.lost?.get(index);
    if (lost !== undefined) {
      evidence.lose(scenario, lost);
      continue;
    }
    const watchdog = evidence.hung < HANGS_WAITED_FOR ? undefined : SHORT_WATCHDOG;
    const enactment = await enact(adapter, scenario, watchdog);
    evidence.add(scenario, enactment);
    if (index % TWICE_EVERY === 0) evidence.again(scenario, enactment, await enact(adapter, scenario, watchdog));
  }
  return evidence;
}

/** What the cases said of one requirement. */
interface Tally {
  exercised: number;
  cases: number;
  readonly orders: Set<string>;
  broken: { readonly scenario: Scenario; readonly because: string } | undefined;
  fault: { readonly scenario: Scenario; readonly because: string } | undefined;
  wavered: { readonly scenario: Scenario; readonly because: string } | undefined;
}

/** What all cases said of all requirements. */
class Evidence {
  cases = 0;
  /** How many cases never ended. */
  hung = 0;
  readonly tallies: ReadonlyMap<Requirement, Tally>;
  readonly #seen = new Set<Capability>();

  constructor(requirements: readonly Requirement[]) {
    this.tallies = new Map(requirements.map((requirement) => [requirement, { exercised: 0, cases: 0, orders: new Set(), broken: undefined, fault: undefined, wavered: undefined }]));
  }

  add(scenario: Scenario, enactment: Enactment): void {
    this.cases++;
    if (enactment.trace.some(({ kind }) => kind === 'hung')) this.hung++;
    const order = enactment.order.join(' ');
    for (const capability of capabilitiesSeen(enactment.trace)) this.#seen.add(capability);
    for (const [requirement, tally] of this.tallies) {
      if (!requirement.when(scenario)) continue;
      tally.cases++;
      const judgement = judge(requirement, scenario, enactment);
      if (judgement === 'unexercised') continue;
      if (typeof judgement === 'object' && 'fault' in judgement) {
        tally.fault = smaller(tally.fault, scenario, judgement.fault);
        continue;
      }
      tally.exercised++;
      tally.orders.add(order);
      if (isBroken(judgement)) tally.broken = smaller(tally.broken, scenario, judgement.broken);
    }
  }

  /** Compares what a case says when it is enacted again. */
  again(scenario: Scenario, first: Enactment, second: Enactment): void {
    for (const [requirement, tally] of this.tallies) {
      if (!requirement.when(scenario)) continue;
      const [before, after] = [first, second].map((enactment) => inOneWord(judge(requirement, scenario, enactment)));
      if (before !== after) tally.wavered ??= { scenario, because: `The same case was ${before} once and ${after} when it was enacted again.` };
    }
  }

  /** Notes a case that ended the process. */
  lose(scenario: Scenario, how: string): void {
    this.cases++;
    for (const [requirement, tally] of this.tallies) {
      if (!requirement.when(scenario)) continue;
      tally.cases++;
      tally.fault = smaller(tally.fault, scenario, how);
    }
  }

  saw(capability: Capability): boolean {
    return this.#seen.has(capability);
  }

  notices({ capabilities }: Adapter): readonly string[] {
    return [...this.#seen].filter((capability) => !has(capabilities, capability)).map((capability) => `The adapter declares ${capability} absent, but it was seen. Claim it to have it judged.`);
  }
}

/** The capabilities that show in a trace. */
function capabilitiesSeen(trace: Trace): readonly Capability[] {
  return trace.flatMap((o): Capability[] => {
    if (o.kind === 'probe-called') return o.host === 'none' ? [] : ['host'];
    if (o.kind === 'run-settled') return o.usage ? ['usage'] : [];
    if (o.kind !== 'probe-acted') return [];
    if (o.saw.kind === 'entries') return ['scratchpad'];
    return o.op.kind === 'dep' && o.saw.kind !== 'no-dependencies' ? ['deps'] : [];
  });
}

/** The capabilities whose absence shows: a runtime that claims one and never hands it over has a violation. */
const SHOWS: readonly Capability[] = ['host', 'scratchpad', 'deps', 'usage'];

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

async function decide(adapter: Adapter, requirement: Requirement, evidence: Evidence, options: CertifyOptions): Promise<RequirementVerdict> {
  const tally = evidence.tallies.get(requirement);
  const base = { ...identity(requirement), exercised: tally?.exercised ?? 0, cases: tally?.cases ?? 0, ...(tally && tally.orders.size > 0 && { interleavings: tally.orders.size }) };
  if (!tally) return { ...base, verdict: 'inapplicable', because: absence(requirement, adapter) };
  if (tally.broken) return { ...base, ...(await violated(adapter, requirement, tally.broken, options)) };
  const neverSeen = requirement.needs.find((need) => SHOWS.includes(need) && !evidence.saw(need));
  if (neverSeen && tally.cases > 0 && !tally.fault) return { ...base, verdict: 'violated', because: `The adapter claims ${neverSeen}, but no instrument was ever handed any. Hand it over, or declare it absent with a reason.` };
  if (tally.wavered) return { ...base, verdict: 'nondeterministic', ...tally.wavered, token: tokenFor(requirement, tally.wavered.scenario, options) };
  if (tally.fault) return { ...base, verdict: 'faulted', ...tally.fault, token: tokenFor(requirement, tally.fault.scenario, options) };
  if (tally.exercised < MINIMUM_EXERCISED) return { ...base, verdict: 'inconclusive', because: `The situation came up ${tally.exercised} times in ${evidence.cases} cases; it takes ${MINIMUM_EXERCISED}.` };
  if (requirement.needs.includes('parallel') && tally.orders.size < MINIMUM_INTERLEAVINGS) {
    return { ...base, verdict: 'inconclusive', because: `Concurrent calls were only ever seen in ${tally.orders.size} order. Does the runtime execute the calls of one turn at the same time?` };
  }
  return { ...base, verdict: 'holds' };
}

/** Shrinks a counterexample and enacts it once more: one that does not come back is no violation that can be replayed. */
async function violated(adapter: Adapter, requirement: Requirement, found: { scenario: Scenario; because: string }, options: CertifyOptions): Promise<Pick<RequirementVerdict, 'verdict' | 'because' | 'scenario' | 'token' | 'shrinks'>> {
  options.onProgress?.({ kind: 'shrinking', id: requirement.id });
  const breaks = async (scenario: Scenario): Promise<boolean> => isBroken(judge(requirement, scenario, await enact(adapter, scenario)));
  const { scenario, shrinks }: Shrunk = options.shrink === false ? { scenario: found.scenario, shrinks: 0 } : await shrink(found.scenario, breaks);
  const again = judge(requirement, scenario, await enact(adapter, scenario));
  const evidence = { scenario, shrinks, token: tokenFor(requirement, scenario, options) };
  return isBroken(again) ? { verdict: 'violated', because: again.broken, ...evidence } : { verdict: 'nondeterministic', because: `It was broken once (${found.because}), and kept when the same case was enacted again.`, ...evidence };
}

function tokenFor(requirement: Requirement, scenario: Scenario, options: CertifyOptions): string {
  return encodeToken({ requirement: requirement.id, adapter: options.adapterPath ?? '', scenario });
}

function faulted(requirement: Requirement, because: string): RequirementVerdict {
  return { ...identity(requirement), exercised: 0, cases: 0, verdict: 'faulted', because };
}

function identity({ id, level }: Requirement): Pick<RequirementVerdict, 'id' | 'chapter' | 'level'> {
  return { id, level, chapter: id.slice(0, id.indexOf('.')) };
}

function absence({ needs }: Requirement, { capabilities }: Adapter): string {
  return needs.flatMap((need) => (has(capabilities, need) ? [] : [`${need} is declared absent: ${capabilities[need]}`])).join('; ');
}

/** Keeps the smaller of two cases, which is quicker to shrink. */
function smaller(kept: { scenario: Scenario; because: string } | undefined, scenario: Scenario, because: string): { scenario: Scenario; because: string } {
  return kept && sizeOf(kept.scenario) <= sizeOf(scenario) ? kept : { scenario, because };
}

function sizeOf(scenario: Scenario): number {
  return JSON.stringify(scenario).length;
}

function inOneWord(judgement: CaseJudgement): string {
  if (typeof judgement === 'string') return judgement;
  return isBroken(judgement) ? 'broken' : 'faulted';
}

