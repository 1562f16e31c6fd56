import type { CompositeSpec, PadView, ProbeContext, Slot } from '../../../spec/model/ports.ts';
import { above, agentAt, compositeAt, type Path, ROOT, type Run } from './run.ts';

/** What the tool that is called at a place gets. */
export function whatToolsGet(run: Run, path: Path, signal: AbortSignal): ProbeContext {
  const { built } = run.team;
  const dep = (key: string): unknown => {
    const bound = [run.deps, built?.deps].find((deps) => deps?.has(key));
    if (!bound) throw new Error(`No dependency is bound to "${key}".`);
    return bound.get(key);
  };
  return { host: run.host === undefined ? built?.host : run.host, pad: padOf(run, branchOf(run, above(path) ?? ROOT)), dep, signal };
}

/** Tells whether the parts of a composite are branches, at the same time. */
export const forks = ({ kind }: CompositeSpec): boolean => kind === 'parallel' || kind === 'fanout';

/** The place whose branch-scoped state is in force at a place: the nearest that was delegated to or forked. */
export function branchOf(run: Run, path: Path): Path {
  const around = above(path);
  const spec = compositeAt(run, around);
  return around === undefined || agentAt(run, around) || (spec && forks(spec)) ? path : branchOf(run, around);
}

/** The value of a slot is the last one that was written to it in the same branch; in the whole run, if it is the run's. */
function padOf(run: Run, branch: Path): PadView {
  const where = ({ scope }: Slot): Path | 'run' => (scope === 'run' ? 'run' : branch);
  const get = (slot: Slot): readonly string[] => run.writes.findLast((write) => write.slot.key === slot.key && write.branch === where(slot))?.value ?? slot.init();
  return { get, update: (slot, change) => void run.writes.push({ slot, branch: where(slot), value: change(get(slot)) }) };
}

/** Merges what a branch wrote to each slot that says how. All else that it wrote is out of sight from now on. */
export function mergeBranch(run: Run, branch: Path, enclosing: Path): void {
  const written = new Set(run.writes.filter((write) => write.branch === branch).map(({ slot }) => slot));
  for (const slot of written) if (slot.merge) padOf(run, enclosing).update(slot, (value) => (slot.merge as NonNullable<Slot['merge']>)(value, padOf(run, branch).get(slot)));
}
