import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import type { RequirementId } from '../spec/index.ts';
import type { Guard, Ledger, MutableAdapter, Parts } from '../spec/model/parts.ts';
import type { Adapter, Instruments, Probe, ProbeContext, RunInput, RunOutcome, Team } from '../spec/model/ports.ts';
import { asStream } from './instruments/language-model.ts';
import { depthOf, parseCallRef, type Ref, refIn, runOf } from '../spec/model/ref.ts';

/** A runtime with one thing wrong. The kit has to blame exactly that thing. */
export interface Mutant {
  /** What it does wrong, in words. */
  readonly what: string;
  /** Requirements that it cannot help breaking too. */
  readonly alsoBreaks?: readonly RequirementId[];
  /** Puts the flaw into a correct runtime. */
  of(adapter: MutableAdapter): Adapter;
}

/** For each requirement of a chapter, what breaks it: at least one. */
export type MutantsOf<Id extends RequirementId> = Readonly<Record<Id, readonly [Mutant, ...Mutant[]]>>;

/** Where a probe was called. */
export interface ProbeSite {
  readonly task: Ref;
  readonly run: number;
  readonly depth: number;
  readonly turn: number;
  readonly index: number;
}

/** Changes what probes are handed. `flaw` is made anew for each team, so it may remember. */
export function handing(adapter: Adapter, flaw: (team: Team) => (context: ProbeContext, site: ProbeSite) => ProbeContext): Adapter {
  return onProbes(adapter, (team) => {
    const change = flaw(team);
    return (call) => (input, context) => call(input, change(context, siteOf(input.call)));
  });
}

/** Changes the kit's tools on their way to the runtime. `flaw` is made anew for each team. */
export function onProbes(adapter: Adapter, flaw: (team: Team) => (call: Probe['call'], probe: Probe) => Probe['call']): Adapter {
  return {
    ...adapter,
    delegation: (team, kit) => {
      const change = flaw(team);
      const agents = team.agents.map((agent) => ({ ...agent, tools: agent.tools.map((probe) => ({ ...probe, call: change(probe.call, probe) })) }));
      return adapter.delegation({ ...team, agents }, kit);
    },
  };
}

/** Changes what the runtime is told of the team. */
export function onTeam(adapter: Adapter, change: (team: Team) => Team): Adapter {
  return { ...adapter, delegation: (team, kit) => adapter.delegation(change(team), kit) };
}

function siteOf(call: string): ProbeSite {
  const { ref, turn, index } = parseCallRef(call) ?? { ref: '', turn: 0, index: 0 };
  return { task: ref, run: runOf(ref), depth: depthOf(ref), turn, index };
}

/** Changes the kit's instruments on their way to the runtime. */
export function onInstruments(adapter: Adapter, change: (kit: Instruments, team: Team) => Instruments): Adapter {
  return { ...adapter, delegation: (team, kit) => adapter.delegation(team, change(kit, team)) };
}

/**
 * Changes what models are asked, and what they reply. `flaw` is made anew for each team, so it may remember; it gets what
 * asks the model, and gives what the runtime asks instead.
 */
export function asking(adapter: Adapter, flaw: (team: Team) => (ask: Ask, options: Options, agent: string) => ReturnType<Ask>): Adapter {
  return onInstruments(adapter, (kit, team) => {
    const change = flaw(team);
    const changed = (model: LanguageModelV4, agent: string): LanguageModelV4 => ({
      ...model,
      doGenerate: (options) => change((asked) => model.doGenerate(asked), options, agent),
      doStream: async (options) => ({ stream: asStream(await change((asked) => model.doGenerate(asked), options, agent)) }),
    });
    return { ...kit, model: (agent) => changed(kit.model(agent), agent), overridingModel: (agent) => changed(kit.overridingModel(agent), agent) };
  });
}

/** The task that a model is asked for. */
export function taskOf({ prompt }: LanguageModelV4CallOptions): Ref {
  return refIn(JSON.stringify(prompt.findLast(({ role }) => role === 'user'))) ?? '';
}

type Options = LanguageModelV4CallOptions;
type Ask = (options: Options) => PromiseLike<LanguageModelV4GenerateResult>;

/** Changes what goes into a run and what comes out of it. `flaw` is made anew for each team. */
export function running(adapter: Adapter, flaw: () => { before?: (input: RunInput) => RunInput; after?: (outcome: RunOutcome) => RunOutcome }): Adapter {
  return {
    ...adapter,
    delegation: async (team, kit) => {
      const { before = (input) => input, after = (outcome) => outcome } = flaw();
      const run = await adapter.delegation(team, kit);
      return async (input) => after(await run(before(input)));
    },
  };
}

/** Swaps the guard of the runtime. */
export function guardedBy(adapter: MutableAdapter, make: (limits: Parameters<Parts['createGuard']>[0], parts: Parts) => Guard): Adapter {
  return adapter.withParts((parts) => ({ createGuard: (limits) => make(limits, parts) }));
}

/** Swaps the books of the runtime. */
export function billedBy(adapter: MutableAdapter, make: (prompt: string) => Ledger): Adapter {
  return adapter.withParts(() => ({ createLedger: make }));
}
