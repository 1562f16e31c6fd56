import type { CompositeSpec, Team } from '../../spec/model/ports.ts';
import { ancestorsOf, callTo, type Ref, refIn } from '../../spec/model/ref.ts';

/** Which composites are run in a team, known as soon as they make the prompts of their parts. */
export interface RunningComposites {
  /** The team, with composites that make themselves known. */
  readonly team: Team;
  /** The composites that an activation is in, on its side of the delegation, the innermost first. */
  around(task: Ref): readonly CompositeSpec[];
}

/** Follows the composites of a team. */
export function followComposites(team: Team): RunningComposites {
  const running = new Map<Ref, CompositeSpec>();
  const note = (spec: CompositeSpec, input: string): string => (running.set(refIn(input) ?? '', spec), input);
  const following = (spec: CompositeSpec): CompositeSpec =>
    spec.kind === 'fanout' ? { ...spec, items: (input) => spec.items(note(spec, input)) } : { ...spec, prompt: (input, index) => spec.prompt(note(spec, input), index) };
  return { team: { ...team, composites: team.composites.map(following) }, around: (task) => compositesAbove(task).flatMap((ref) => running.get(ref) ?? []) };
}

/** The places from an activation up to the delegation that led to it. */
function compositesAbove(task: Ref): readonly Ref[] {
  const path = [...ancestorsOf(task), task].reverse();
  const seam = path.findIndex((ref) => callTo(ref) !== undefined);
  return path.slice(1, seam < 0 ? undefined : seam + 1);
}
