import { agentOf } from './kinship.ts';
import { callTo, parentOf, type Ref, scriptOf } from './ref.ts';
import type { RunnerName, Scenario } from './scenario.ts';

/**
 * Tells which runner an agent is to run on: `null` where nobody names one, and `undefined` where it is open, since
 * whether a runner crosses a delegation is left to the runtime.
 */
export function runnerFor(scenario: Scenario, ref: Ref): RunnerName | null | undefined {
  return ownRunner(scenario, ref) ?? runnerAround(scenario, ref);
}

/** The runner that an agent's own definition names. */
export function ownRunner(scenario: Scenario, ref: Ref): RunnerName | undefined {
  const agent = agentOf(scenario, ref);
  return agent === undefined ? undefined : scenario.agents?.[agent]?.runner;
}

/** The runners that the composites around an activation name, on its side of the delegation, the nearest first. */
export function runnersAround(scenario: Scenario, ref: Ref): readonly RunnerName[] {
  const composite = enclosing(scenario, ref);
  if (composite === undefined) return [];
  return [...(composite.runner ? [composite.runner] : []), ...runnersAround(scenario, composite.ref)];
}

function runnerAround(scenario: Scenario, ref: Ref): RunnerName | null | undefined {
  const [nearest] = runnersAround(scenario, ref);
  return nearest ?? (isBareAbove(scenario, ref) ? null : undefined);
}

/** The composite that an activation is part of. */
function enclosing(scenario: Scenario, ref: Ref): { readonly ref: Ref; readonly runner: RunnerName | undefined } | undefined {
  const parent = parentOf(ref);
  if (parent === undefined || callTo(ref) !== undefined) return undefined;
  const script = scriptOf(scenario, parent);
  return { ref: parent, runner: script && script.kind !== 'agent' ? script.runner : undefined };
}

/** Tells whether nothing above an activation names a runner, however far up. */
function isBareAbove(scenario: Scenario, ref: Ref): boolean {
  const parent = parentOf(ref);
  if (parent === undefined) return true;
  const script = scriptOf(scenario, parent);
  const named = script?.kind === 'agent' ? ownRunner(scenario, parent) : script?.runner;
  return named === undefined && isBareAbove(scenario, parent);
}
