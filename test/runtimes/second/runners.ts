import type { RunnerName } from '../../../spec/model/scenario.ts';
import { above, agentAt, compositeAt, type Path, ROOT, type Run } from './run.ts';

/** The runner of a place: its own, or else the one of the composite that it is part of. None comes down a delegation. */
export function runnerAt(run: Run, path: Path): RunnerName | undefined {
  const own = (agentAt(run, path) ?? compositeAt(run, path))?.runner;
  const around = path === ROOT ? undefined : above(path);
  return own ?? (around && compositeAt(run, around) ? runnerAt(run, around) : undefined);
}

/** Tells whether an agent can answer as it has to on its runner. */
export function isAble(run: Run, path: Path): boolean {
  return agentAt(run, path)?.output === undefined || runnerAt(run, path) !== 'plain';
}
