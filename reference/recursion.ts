import type { Activation, Guard } from '../spec/model/parts.ts';
import type { Limits } from '../spec/model/scenario.ts';
import { RecursionLimitError } from './errors.ts';
import { type LimitsInForce, limitsOf, narrowed } from './limits.ts';

/**
 * Makes the guard that a run starts with: no frame yet, nothing counted.
 * @throws InvalidDefinitionError when a limit is not a positive integer
 */
export function createGuard(limits: Limits | undefined): Guard {
  return new Frame(undefined, undefined, limitsOf(limits), -1, new Counts());
}

/** What a whole run counts, wherever in the tree it happens. */
class Counts {
  steps = 0;
  readonly visits = new Map<string, number>();

  visitsOf(node: string): number {
    return this.visits.get(node) ?? 0;
  }

  /** @requirement recursion.counts-are-kept-apart */
  count(node: string): void {
    this.steps += 1;
    this.visits.set(node, this.visitsOf(node) + 1);
  }
}

/**
 * One frame on the way down. It knows the frame above and never changes, so a frame is popped by not being used any
 * more: there is nothing to undo on any way out.
 * @requirement recursion.frames-are-popped
 */
class Frame implements Guard {
  readonly #above: Frame | undefined;
  /** Undefined where a run starts: no node is active there. */
  readonly #node: string | undefined;
  readonly #limits: LimitsInForce;
  readonly #depth: number;
  readonly #counts: Counts;

  constructor(above: Frame | undefined, node: string | undefined, limits: LimitsInForce, depth: number, counts: Counts) {
    this.#above = above;
    this.#node = node;
    this.#limits = limits;
    this.#depth = depth;
    this.#counts = counts;
  }

  within<T>({ node, by, limits }: Activation, body: (guard: Guard) => Promise<T>): Promise<T> {
    const depth = by === 'composite' ? this.#depth : this.#depth + 1;
    const inner = new Frame(this, node, narrowed(this.#limits, limits), depth, this.#counts);
    const hit = inner.#limitHit(node);
    if (hit) return Promise.reject(inner.#refusal(hit));
    this.#counts.count(node);
    return body(inner);
  }

  /**
   * Finds the limit that forbids this frame. A frame that is refused counts for nothing.
   * @requirement recursion.depth-limit-is-exact
   * @requirement recursion.visits-are-counted-per-agent
   * @requirement recursion.steps-are-counted-over-the-tree
   */
  #limitHit(node: string): keyof Limits | undefined {
    if (this.#depth > this.#limits.depth) return 'depth';
    if (this.#counts.visitsOf(node) >= this.#limits.visits) return 'visits';
    if (this.#counts.steps >= this.#limits.steps) return 'steps';
    return undefined;
  }

  #refusal(limit: keyof Limits): RecursionLimitError {
    return new RecursionLimitError({ limit, value: this.#limits[limit], depth: this.#depth, chain: this.#chain() });
  }

  /** Names the frames from the root down. Not recursive: a chain may be longer than a call stack. */
  #chain(): readonly string[] {
    const names: string[] = [];
    for (let frame: Frame | undefined = this; frame; frame = frame.#above) if (frame.#node !== undefined) names.push(frame.#node);
    return names.reverse();
  }
}
