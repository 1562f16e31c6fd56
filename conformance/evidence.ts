import { isDeepStrictEqual } from 'node:util';
import { type Capability, has } from '../spec/model/capability.ts';
import type { Adapter } from '../spec/model/ports.ts';
import type { Requirement } from '../spec/model/requirement.ts';
import type { Scenario } from '../spec/model/scenario.ts';
import type { Trace } from '../spec/model/trace.ts';
import { type CaseJudgement, isBroken, judge } from './judge.ts';
import type { Enactment } from './worlds/enact.ts';

/** A case that says something, and what. */
export interface Finding {
  readonly scenario: Scenario;
  readonly because: string;
}

/** What the cases said of one requirement. */
export interface Tally {
  exercised: number;
  cases: number;
  readonly orders: Set<string>;
  broken: Finding | undefined;
  fault: Finding | undefined;
  wavered: Finding | undefined;
}

/** What all cases said of all requirements. */
export class Evidence {
  cases = 0;
  /** How many cases never ended. */
  hung = 0;
  readonly tallies: ReadonlyMap<Requirement, Tally>;
  readonly #seen = new Set<Capability>();

  constructor(requirements: readonly Requirement[]) {
    this.tallies = new Map(
      requirements.map((requirement) => [requirement, { exercised: 0, cases: 0, orders: new Set(), broken: undefined, fault: undefined, wavered: undefined }]),
    );
  }

  add(scenario: Scenario, enactment: Enactment): void {
    this.cases++;
    if (enactment.trace.some(({ kind }) => kind === 'hung')) this.hung++;
    // Where models wait, too, there is an order even if the calls of a turn are made one after the other.
    const order = scenario.modelsWait ? '' : enactment.order.join(' ');
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

  /** Compares what a case says when it is enacted again. The same trace says the same; another may, where only words differ. */
  again(scenario: Scenario, first: Enactment, second: Enactment): void {
    if (isDeepStrictEqual([first.trace, first.fault?.message], [second.trace, second.fault?.message])) return;
    const judged = [...this.tallies.keys()].filter(({ when }) => when(scenario));
    const [before, after] = [first, second].map((enactment) => judged.map((requirement) => inOneWord(judge(requirement, scenario, enactment)))) as [string[], string[]];
    for (const [index, requirement] of judged.entries()) {
      const tally = this.tallies.get(requirement);
      if (!tally || before[index] === after[index]) continue;
      tally.wavered ??= { scenario, because: `The same case was ${before[index]} once and ${after[index]} when it was enacted again.` };
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
    return [...this.#seen]
      .filter((capability) => !has(capabilities, capability))
      .map((capability) => `The adapter declares ${capability} absent, but it was seen. Claim it to have it judged.`);
  }
}

/** The capabilities that show in a trace. */
function capabilitiesSeen(trace: Trace): readonly Capability[] {
  return trace.flatMap((o): Capability[] => {
    if (o.kind === 'probe-called') return o.host === 'none' ? [] : ['host'];
    if (o.kind === 'event') return ['events'];
    if (o.kind === 'model-asked')
      return [...(o.format === 'json' ? (['structured'] as const) : []), ...(o.runner !== null || o.model === 'override' ? (['runners'] as const) : [])];
    if (o.kind === 'run-settled')
      return [...(o.streamed === null ? [] : (['streaming'] as const)), ...(o.usage ? (['usage'] as const) : []), ...(o.status === 'cancelled' ? (['abort'] as const) : [])];
    if (o.kind !== 'probe-acted') return [];
    if (o.saw.kind === 'entries') return ['scratchpad'];
    return o.op.kind === 'dep' && o.saw.kind !== 'no-dependencies' ? ['deps'] : [];
  });
}

/** Keeps the smaller of two cases, which is quicker to shrink. */
function smaller(kept: Finding | undefined, scenario: Scenario, because: string): Finding {
  return kept && sizeOf(kept.scenario) <= sizeOf(scenario) ? kept : { scenario, because };
}

function sizeOf(scenario: Scenario): number {
  return JSON.stringify(scenario).length;
}

function inOneWord(judgement: CaseJudgement): string {
  if (typeof judgement === 'string') return judgement;
  return isBroken(judgement) ? 'broken' : 'faulted';
}
