import type { AgentSpec, CompositeSpec, Instruments, ModelMessage, ModelReply, RunInput, RunOutcome, Slot, Team } from '../../../spec/model/ports.ts';
import type { Usage } from '../../../spec/model/usage.ts';

/** A place in the tree: turn and position of each call that led there, as in `root/0.2/1.0`. Parts count as calls of turn 0. */
export type Path = string;

/** Where a run begins. */
export const ROOT: Path = 'root';

/** One activation of an agent or a composite. */
export interface Activation {
  readonly path: Path;
  readonly node: string;
  readonly prompt: string;
  readonly messages: ModelMessage[];
  /** The parts of a composite. */
  parts: readonly Part[];
  /** What came of the calls of the turn, or of the parts; `undefined` while that is open. */
  outcomes: (Outcome | undefined)[];
}

/** A part of a composite. Its prompt is made when it starts, for that may go wrong. */
export interface Part {
  readonly node: string;
  prompt(): string;
}

/** How something ended. The text is what whoever asked for it is told. */
export type Outcome = Required<Pick<RunOutcome, 'status' | 'text'>> & Pick<RunOutcome, 'error'>;

/** What the interpreter works off. */
export type Event =
  | { readonly kind: 'begun'; readonly path: Path }
  | { readonly kind: 'said'; readonly path: Path; readonly reply: ModelReply }
  | { readonly kind: 'called'; readonly path: Path }
  /** An activation, or the call of a tool, is over. */
  | { readonly kind: 'ended'; readonly path: Path; readonly outcome: Outcome }
  /** The caller aborted, or a time limit is up. */
  | { readonly kind: 'stopped'; readonly path: Path; readonly outcome: Outcome };

/** The tables of a run. */
export interface Run extends RunInput {
  readonly id: string;
  /** Whether its subscriber is told of composites as well. */
  readonly tellsOfComposites: boolean;
  readonly team: Team;
  readonly kit: Instruments;
  /** In the order in which they were activated. */
  readonly activations: Map<Path, Activation>;
  /** Every call that a model made, by the place that it leads to. */
  readonly calls: Map<Path, ModelReply['calls'][number]>;
  /** Every call of a model or a tool that is not over. */
  readonly underWay: Map<Path, AbortController>;
  /** How to take back each time limit that is not up. */
  readonly timers: Map<Path, () => void>;
  /** Places at which all work has to end, and how it counts then. */
  readonly stops: { readonly path: Path; readonly outcome: Outcome }[];
  readonly writes: { readonly slot: Slot; readonly branch: Path | 'run'; readonly value: readonly string[] }[];
  readonly spendings: { readonly path: Path; readonly usage: Usage }[];
  readonly sayings: { readonly path: Path; readonly text: string }[];
  readonly queue: Event[];
  handle(run: Run, event: Event): void;
  settle(outcome: RunOutcome): void;
}

/** Adds an event. Whoever finds the queue empty works it off, so that no event is handled in the middle of another. */
export function post(run: Run, event: Event): void {
  if (run.queue.push(event) > 1) return;
  for (; run.queue[0]; run.queue.shift()) run.handle(run, run.queue[0]);
}

/** The place right above; nothing above the root. */
export function above(path: Path): Path | undefined {
  return path === ROOT ? undefined : path.slice(0, path.lastIndexOf('/'));
}

/** Tells whether a place is another or lies somewhere below it. */
export function isWithin(path: Path, place: Path): boolean {
  return `${path}/`.startsWith(`${place}/`);
}

/** All that is active on the way to a place, the place included, root first. */
export function wayTo(run: Run, path: Path | undefined): readonly Activation[] {
  if (path === undefined) return [];
  const activation = run.activations.get(path);
  return [...wayTo(run, above(path)), ...(activation ? [activation] : [])];
}

/** The agent of that name. */
export function agentNamed({ team }: Run, node: string): AgentSpec | undefined {
  return team.agents.find(({ name }) => name === node);
}

/** The agent that is active at a place, if it is one. */
export function agentAt(run: Run, path: Path | undefined): AgentSpec | undefined {
  return agentNamed(run, run.activations.get(path ?? '')?.node ?? '');
}

/** The composite that is active at a place, if it is one. */
export function compositeAt(run: Run, path: Path | undefined): CompositeSpec | undefined {
  return run.team.composites.find(({ name }) => name === run.activations.get(path ?? '')?.node);
}

/** How many delegations lie between the root and a place. */
export function depthOf(run: Run, path: Path): number {
  return wayTo(run, above(path)).filter(({ node }) => agentNamed(run, node)).length;
}
