import type { Activation, Guard } from '../spec/model/parts.ts';
import type { Bus } from './bus.ts';
import { stopped, unlessAborted } from './cancellation.ts';
import { delegatedBy, type Lineage, partOf } from './lineage.ts';
import { meterOf } from './meter.ts';
import type { Node, RunContext } from './node.ts';
import { failed, type NodeResult } from './node-result.ts';
import { endingOf, runEnd, runStart } from './run-event.ts';

type By = Activation['by'];

/**
 * Runs a node one level further down: under a frame of its own, on an account of its own and, when it is delegated to,
 * with a fork of the scratchpad. It resolves also when the node is refused, fails or throws.
 * @requirement failure.ends-the-run-as-failed
 * @requirement recursion.refused-before-the-child-exists
 * @requirement recursion.a-hit-harms-its-own-branch-only
 * @requirement recursion.guard-survives-hops
 */
export function activate<In, Out>(node: Node<In, Out>, by: By, input: In, context: RunContext): Promise<NodeResult<Out>> {
  const { guard, signal } = context;
  if (signal?.aborted) return Promise.resolve(failed(stopped(signal, 'Node', node.name)));
  // Chained, not awaited: a function that waits here would be kept in memory for each activation under way.
  return guard.within({ node: node.name, by, limits: node.limits }, (inner) => entered(node, input, contextBelow(node, by, input, context, inner))).catch(failed);
}

/**
 * Runs a part of a composite. A prompt that cannot be made fails the part that it is for.
 * @requirement failure.throwing-prompt-fails-its-part
 */
export function activatePart<In, Out>(part: Node<In, Out>, prompt: () => In, context: RunContext): Promise<NodeResult<Out>> {
  try {
    return activate(part, 'composite', prompt(), context);
  } catch (thrown) {
    return Promise.resolve(failed(thrown));
  }
}

/** Names the account of a node's run: by what it was asked, which is what tells two runs of one node apart. */
export function accountNameOf<In>(node: Node<In, unknown>, input: In): string {
  return typeof input === 'string' ? input : node.name;
}

/**
 * Makes what a node is given from what its parent has: the same host value, dependencies and run-scoped state.
 * @requirement host.reaches-sub-agents
 * @requirement host.reaches-any-depth
 * @requirement host.scratchpad-reaches-sub-agents
 * @requirement host.deps-reach-sub-agents
 * @requirement fork.parallel-calls-are-isolated
 * @requirement fork.twice-in-one-step-means-two-memories
 * @requirement fork.later-calls-start-fresh
 * @requirement usage.each-child-has-its-own-account
 * @requirement context.parts-are-given-what-the-composite-was
 * @requirement context.composites-and-delegation-nest
 * @requirement context.abort-reaches-parts
 */
function contextBelow<In>(node: Node<In, unknown>, by: By, input: In, context: RunContext, guard: Guard): RunContext {
  const { runner, host, deps, signal, scratchpad, ledger, bus, clock, streaming } = context;
  return {
    runner,
    host,
    deps,
    signal,
    guard,
    bus,
    clock,
    streaming,
    lineage: lineageBelow(by, context),
    // The fork is never joined: calls that a model makes have no order to merge by.
    scratchpad: by === 'delegation' ? scratchpad.fork() : scratchpad,
    ledger: by === 'root' ? ledger : ledger.child(accountNameOf(node, input)),
  };
}

/** Places a run in the tree. The place of the root was made with what its caller brought. */
function lineageBelow(by: By, { lineage, call }: RunContext): Lineage {
  switch (by) {
    case 'root':
      return lineage;
    case 'delegation':
      return delegatedBy(lineage, call);
    case 'composite':
      return partOf(lineage);
  }
}

function entered<In, Out>(node: Node<In, Out>, input: In, context: RunContext): Promise<NodeResult<Out>> {
  return context.bus ? announced(node, input, context, context.bus) : settle(node, input, context);
}

/**
 * Tells the bus of a run, from its start to its one end.
 * @requirement lineage.every-run-is-told-to-start
 * @requirement lineage.every-run-is-told-to-end-once
 * @requirement lineage.children-lie-inside-their-parents
 */
function announced<In, Out>(node: Node<In, Out>, input: In, context: RunContext, bus: Bus): Promise<NodeResult<Out>> {
  const { lineage, signal } = context;
  const ledger = meterOf(context.ledger);
  bus.emit(runStart(lineage, node.name, input));
  return settle(node, input, { ...context, ledger }).then((result) => {
    bus.emit(runEnd(lineage, node.name, endingOf(result.error, signal), ledger.spent()));
    return result;
  });
}

/**
 * Runs a node and closes its account, however it ends. One that succeeds in spite of an abort is cancelled all the same.
 * @requirement usage.failed-children-count
 * @requirement usage.cancelled-children-count
 * @requirement usage.limit-stopped-children-count
 */
function settle<In, Out>(node: Node<In, Out>, input: In, context: RunContext): Promise<NodeResult<Out>> {
  const { ledger, signal } = context;
  const close = (result: NodeResult<Out>): NodeResult<Out> => {
    const ended = unlessAborted(result, signal, node.name);
    ledger.close(ended.succeeded ? 'succeeded' : 'failed');
    return ended;
  };
  return running(node, input, context).then(close, (thrown) => close(failed(thrown)));
}

/** Nodes that were not made by `defineNode` may throw instead of rejecting. */
function running<In, Out>(node: Node<In, Out>, input: In, context: RunContext): Promise<NodeResult<Out>> {
  try {
    return node.run(input, context);
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}
