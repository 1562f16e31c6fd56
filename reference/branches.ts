import type { Scratchpad } from '../spec/model/parts.ts';
import { activatePart } from './activate.ts';
import type { Node, RunContext } from './node.ts';
import { type NodeResult, succeeded } from './node-result.ts';

/** One of several nodes that run at the same time. */
export interface Branch<In, Out> {
  readonly node: Node<In, Out>;
  /** Makes its input. It may throw. */
  prompt(): In;
}

/**
 * Runs branches at the same time, each on a fork of the state, and waits for all. Then all forks are joined, those of
 * failed branches too, in the order of the branches. A branch that fails stops no other; the first by index gives the error.
 * @requirement failure.of-a-part-is-told
 * @requirement fork.composite-branches-are-isolated
 * @requirement fork.failed-branches-merge-too
 * @requirement context.concurrent-runs-of-a-composite-never-mix
 */
export async function runBranches<In, Out>(branches: readonly Branch<In, Out>[], context: RunContext): Promise<NodeResult<readonly Out[]>> {
  const { scratchpad } = context;
  const forks: Scratchpad[] = [];
  const running: Promise<NodeResult<Out>>[] = [];
  for (const { node, prompt } of branches) {
    const fork = scratchpad.fork();
    forks.push(fork);
    running.push(activatePart(node, prompt, { ...context, scratchpad: fork }));
  }
  const results = await Promise.all(running);
  scratchpad.join(forks);
  return summedUp(results);
}

function summedUp<Out>(branches: readonly NodeResult<Out>[]): NodeResult<readonly Out[]> {
  const outputs: Out[] = [];
  const failed: number[] = [];
  let error: Error | undefined;
  for (const [index, branch] of branches.entries()) {
    if (branch.succeeded) outputs.push(branch.output);
    else failed.push(index);
    error ??= branch.error;
  }
  return error ? { succeeded: false, output: undefined, error, branches, failed } : { ...succeeded(outputs), branches, failed };
}
