import { activatePart } from './activate.ts';
import { InvalidDefinitionError } from './errors.ts';
import { defineNode, type Node, type NodeIdentity } from './node.ts';
import { succeeded } from './node-result.ts';

/** A node that runs again and again. */
export interface LoopDefinition<T> extends NodeIdentity {
  readonly part: Node<T, T>;
  /** How often the part runs: exactly so often, or at most where `until` is given. A positive integer. */
  readonly maxIterations: number;
  /** Ends the loop when it is true of an output. `iteration` is 0-based. */
  until?(output: T, iteration: number): boolean;
  /** Makes the part's input from its output before, and from the loop's own input. It defaults to that output. */
  prompt?(value: T, iteration: number, input: T): T;
}

/**
 * Makes a node that runs its part over and over on the same state. When the part fails, the loop fails and its output
 * is the last good one.
 * @throws InvalidDefinitionError when maxIterations is not a positive integer
 */
export function loop<T = string>(definition: LoopDefinition<T>): Node<T, T> {
  const { part, maxIterations, until = () => false, prompt = (value) => value, ...rest } = definition;
  if (!(Number.isInteger(maxIterations) && maxIterations > 0)) {
    throw new InvalidDefinitionError(`Loop "${rest.name}" has maxIterations ${maxIterations}. Make it a positive integer.`);
  }
  return defineNode({
    ...rest,
    async perform(input, context) {
      let output = input;
      for (let iteration = 0; iteration < maxIterations; iteration++) {
        const result = await activatePart(part, () => prompt(output, iteration, input), context);
        if (!result.succeeded) return { ...result, output };
        output = result.output;
        if (until(output, iteration)) break;
      }
      return succeeded(output);
    },
  });
}
