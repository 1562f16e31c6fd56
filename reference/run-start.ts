import { accountNameOf } from './activate.ts';
import { systemClock } from './clock.ts';
import { rootLineage } from './lineage.ts';
import type { Node, RunContext, RunStart } from './node.ts';

/**
 * Makes what travels with a run from what its caller brings.
 * A host value that nobody brought is not made up.
 * @throws InvalidDefinitionError when a limit is not a positive integer
 * @requirement host.none-is-invented
 * @requirement host.concurrent-runs-never-mix
 * @requirement cancellation.other-runs-go-on
 * @requirement conversation.a-run-can-follow-a-cancelled-one
 * @requirement usage.concurrent-runs-are-billed-apart
 */
export function startOf<In>(node: Node<In, unknown>, input: In, start: RunStart): RunContext {
  const { runner, host, deps, signal, limits, bus, streaming, clock = systemClock } = start;
  const { parts } = runner;
  return {
    runner,
    host,
    deps,
    signal,
    bus,
    clock,
    streaming,
    lineage: rootLineage(start),
    scratchpad: start.scratchpad ?? parts.createScratchpad(),
    guard: parts.createGuard(limits),
    ledger: start.ledger ?? parts.createLedger(accountNameOf(node, input)),
  };
}
