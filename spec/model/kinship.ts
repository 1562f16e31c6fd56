import { type Ref, runOf, scriptOf } from './ref.ts';
import type { Scenario } from './scenario.ts';

/**
 * How the author of an entry stands to its reader, which decides what branch-scoped state may show.
 * - `same-branch`: nothing between them forks state.
 * - `above-seam` / `below-seam`: the author is an ancestor across a delegation / a descendant across one.
 * - `twin-call` / `parallel-call`: delegated by calls of one turn, to the same agent / to different ones.
 * - `earlier-call` / `later-call`: delegated by one agent in different turns.
 * - `other-branch`: in another branch of the same parallel composite.
 * - `merged-branch` / `enclosing-branch`: in a parallel composite's branch below the reader's / the other way round.
 */
export type Kinship =
  | 'same-branch'
  | 'above-seam'
  | 'below-seam'
  | 'twin-call'
  | 'parallel-call'
  | 'earlier-call'
  | 'later-call'
  | 'other-branch'
  | 'merged-branch'
  | 'enclosing-branch'
  | 'other-run'
  | 'distant';

/** Tells how the author of an entry stands to its reader. */
export function kinship(scenario: Scenario, author: Ref, reader: Ref): Kinship {
  if (runOf(author) !== runOf(reader)) return 'other-run';
  const [common, up, down] = diverge(author, reader);
  const apart = meeting(scenario, common, up, down);
  if (apart) return apart;
  const above = crossings(scenario, common, up);
  const below = crossings(scenario, common, down);
  if (above === 'none' && below === 'none') return 'same-branch';
  if (above !== 'none' && below !== 'none') return 'distant';
  if (above === 'none') return below === 'seam' ? 'above-seam' : 'enclosing-branch';
  return above === 'seam' ? 'below-seam' : 'merged-branch';
}

/** The deepest activation that two share, and the steps from there to each. */
export function diverge(a: Ref, b: Ref): [common: Ref, toA: readonly string[], toB: readonly string[]] {
  let end = 0;
  while (end < a.length && a[end] === b[end]) end++;
  const whole = [a, b].every((ref) => end === ref.length || ref[end] === '/');
  const common = whole ? a.slice(0, end) : a.slice(0, Math.max(0, a.lastIndexOf('/', end - 1)));
  const steps = (ref: Ref): readonly string[] =>
    ref
      .slice(common.length)
      .split('/')
      .filter((step) => step !== '');
  return [common, steps(a), steps(b)];
}

/** When two part ways at an agent's calls or at a parallel composite's branches: how. */
function meeting(scenario: Scenario, common: Ref, up: readonly string[], down: readonly string[]): Kinship | undefined {
  const [a] = up;
  const [b] = down;
  if (!a || !b) return undefined;
  const place = scriptOf(scenario, common);
  if (place?.kind === 'parallel' || place?.kind === 'fanout') return 'other-branch';
  if (place?.kind !== 'agent') return undefined;
  const [turnA, turnB] = [a, b].map((step) => Number(step.split('.')[0])) as [number, number];
  if (turnA !== turnB) return turnA < turnB ? 'earlier-call' : 'later-call';
  return agentOf(scenario, `${common}/${a}`) === agentOf(scenario, `${common}/${b}`) ? 'twin-call' : 'parallel-call';
}

/** What kind of fork of state lies on a way down: a delegation, a parallel branch, or none. */
function crossings(scenario: Scenario, from: Ref, steps: readonly string[]): 'seam' | 'fork' | 'none' {
  let here = from;
  let found: 'seam' | 'fork' | 'none' = 'none';
  for (const step of steps) {
    const kind = scriptOf(scenario, here)?.kind;
    if (!step.startsWith('#')) return 'seam';
    if (kind === 'parallel' || kind === 'fanout') found = 'fork';
    here = `${here}/${step}`;
  }
  return found;
}

/** The name of the agent that carries an activation out; `undefined` for composites. */
export function agentOf(scenario: Scenario, ref: Ref): string | undefined {
  const script = scriptOf(scenario, ref);
  return script?.kind === 'agent' ? script.agent : undefined;
}
