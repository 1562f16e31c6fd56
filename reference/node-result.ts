import { asError } from './errors.ts';

/** How a node's run ended. Failure is data: a node that fails resolves. */
export type NodeResult<Out = unknown> = Succeeded<Out> | Failed<Out>;

/** A run that reached its output. */
export interface Succeeded<Out = unknown> extends Branches {
  readonly succeeded: true;
  readonly output: Out;
  readonly error?: undefined;
}

/** A run that failed. `output` is what there was before, if anything. */
export interface Failed<Out = unknown> extends Branches {
  readonly succeeded: false;
  readonly output: Out | undefined;
  readonly error: Error;
}

/** What nodes with branches tell about each of them, in index order. */
interface Branches {
  readonly branches?: readonly NodeResult[] | undefined;
  /** Indices of the branches that failed, ascending. */
  readonly failed?: readonly number[] | undefined;
}

/** Words a success. */
export function succeeded<Out>(output: Out): Succeeded<Out> {
  return { succeeded: true, output };
}

/** Words a failure from whatever was thrown. */
export function failed(thrown: unknown): Failed<never> {
  return { succeeded: false, output: undefined, error: asError(thrown) };
}
