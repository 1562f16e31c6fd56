import type { DepReader } from '../spec/model/parts.ts';
import { MissingDependencyError } from './errors.ts';

/**
 * Binds dependencies for a run. What is bound later to the same map is not seen.
 * @requirement host.missing-dependency-is-named
 * @requirement host.bound-undefined-is-bound
 */
export function createDeps(bindings: Iterable<readonly [key: string, value: unknown]>): DepReader {
  const bound = new Map(bindings);
  return Object.freeze({
    get(key: string): unknown {
      // Asks whether it is bound, not whether it has a value: undefined is a value.
      if (!bound.has(key)) throw new MissingDependencyError(key, [...bound.keys()]);
      return bound.get(key);
    },
  });
}
