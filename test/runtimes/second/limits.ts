import type { Limits } from '../../../spec/model/scenario.ts';
import { end, failed } from './outcome.ts';
import { above, agentNamed, depthOf, type Path, post, type Run, wayTo } from './run.ts';
import { setTimeLimit } from './stops.ts';

/** What holds for whoever sets no limit. */
const DEFAULTS: Limits = { depth: 16, steps: 500 };

const KINDS = ['depth', 'visits', 'steps'] as const;

/** Enters an activation in the table, or tells whoever asked for it which limit forbids it; then there is nothing of it. */
export function activate(run: Run, path: Path, node: string, prompt: string): void {
  const refusal = refusalOf(run, path, node);
  if (refusal) {
    end(run, path, failed(new Error(refusal)));
    return;
  }
  run.activations.set(path, { path, node, prompt, messages: [], parts: [], outcomes: [] });
  setTimeLimit(run, path, node);
  post(run, { kind: 'begun', path });
}

function refusalOf(run: Run, path: Path, node: string): string | undefined {
  const chain = [...wayTo(run, above(path)).map((activation) => activation.node), node];
  const bounds = chain.reduce((limits, name) => narrow(limits, agentNamed(run, name)?.limits ?? {}), { ...DEFAULTS, ...run.limits });
  const counts = countsWith(run, path, node);
  const kind = KINDS.find((its) => counts[its] > (bounds[its] ?? Number.POSITIVE_INFINITY));
  return kind && `Refused: the limit on ${kind} is ${bounds[kind]}, and ${node} would make it ${counts[kind]}, at depth ${counts.depth} of ${chain.join(' → ')}.`;
}

/** Agents are counted, composites are not: a composite does nothing itself. */
function countsWith(run: Run, path: Path, node: string): Readonly<Record<(typeof KINDS)[number], number>> {
  const depth = depthOf(run, path);
  if (!agentNamed(run, node)) return { depth, visits: 0, steps: 0 };
  const agents = [...run.activations.values()].filter((activation) => agentNamed(run, activation.node));
  return { depth, visits: agents.filter((activation) => activation.node === node).length + 1, steps: agents.length + 1 };
}

function narrow(inherited: Limits, own: Limits): Limits {
  const smaller = KINDS.flatMap((kind) => (own[kind] !== undefined && own[kind] < (inherited[kind] ?? Number.POSITIVE_INFINITY) ? [[kind, own[kind]]] : []));
  return { ...inherited, ...Object.fromEntries(smaller) };
}
