import type { Activation, Guard } from '../../spec/model/parts.ts';
import type { Limits } from '../../spec/model/scenario.ts';

/** What a guard may get wrong; what is left out is done right. */
export interface GuardFlaws {
  /** The limits that it goes by, made of those that were set. */
  readonly limits?: (limits: Limits) => Limits;
  /** The limits below a node, made of those inherited and its own. */
  readonly narrow?: (inherited: Limits, own: Limits | undefined) => Limits;
  /** What it says when it refuses. */
  readonly words?: (refusal: Refusal) => string;
  /** Which ways out of a call leave its depth counted. */
  readonly leaves?: 'success' | 'failure' | 'everything';
  /** Whether calls that go on at the same time count for each other's depth. */
  readonly sharesDepth?: boolean;
  /** Under which name an activation is counted as a visit. */
  readonly visitor?: (node: string) => string;
  /** Whether each branch counts for itself, from what it inherited. */
  readonly countsByBranch?: boolean;
  /** Whether it compares one number with every limit, where several are set. */
  readonly oneNumber?: boolean;
  /** Whether an agent's own limits go on to hold for the whole run. */
  readonly narrowsEverybody?: boolean;
  /** Whether a delegation back to an agent further up starts the chain anew. */
  readonly forgetsOnReturn?: boolean;
}

export interface Refusal {
  readonly kind: 'depth' | 'visits' | 'steps';
  readonly limit: number;
  readonly depth: number;
  readonly chain: readonly string[];
}

/** What a run has used up. */
export interface Counts {
  readonly visits: Map<string, number>;
  steps: number;
  /** Depth that was counted and never given back. */
  leaked: number;
  open: number;
  /** What agents' own limits have come to, if they hold for everybody. */
  narrowed: Limits;
}

/** Nothing used up. */
export function noCounts(): Counts {
  return { visits: new Map(), steps: 0, leaked: 0, open: 0, narrowed: {} };
}

/** What a run without limits goes by. */
const DEFAULTS: Limits = { depth: 16, steps: 1_000 };

/** A guard of the plainest kind, right in all things but those that its flaws name. */
export class CountingGuard implements Guard {
  readonly #flaws: GuardFlaws;
  readonly #limits: Limits;
  readonly #counts: Counts;
  readonly #chain: readonly string[];
  readonly #depth: number;

  constructor(flaws: GuardFlaws, limits: Limits | undefined, counts: Counts = noCounts(), chain: readonly string[] = [], depth = 0) {
    this.#flaws = flaws;
    this.#limits = chain.length > 0 ? (limits ?? {}) : (flaws.limits?.(limits ?? {}) ?? limits ?? DEFAULTS);
    this.#counts = counts;
    this.#chain = chain;
    this.#depth = depth;
  }

  async within<T>(activation: Activation, body: (guard: Guard) => Promise<T>): Promise<T> {
    const inner = this.#enter(activation);
    const delegated = activation.by === 'delegation';
    if (delegated) this.#counts.open++;
    try {
      const result = await body(inner);
      const failed = typeof result === 'object' && result !== null && 'succeeded' in result && result.succeeded === false;
      if (delegated) this.#leave(failed ? 'failure' : 'success');
      return result;
    } catch (error) {
      if (delegated) this.#leave('failure');
      throw error;
    } finally {
      if (delegated) this.#counts.open--;
    }
  }

  #enter({ node, by, limits: own }: Activation): CountingGuard {
    const { forgetsOnReturn, countsByBranch, visitor = (name) => name } = this.#flaws;
    const returns = forgetsOnReturn === true && this.#chain.includes(node) && this.#chain.at(-1) !== node;
    const depth = returns ? 0 : this.#depth + (by === 'delegation' ? 1 : 0);
    const chain = returns ? [node] : [...this.#chain, node];
    const counts = countsByBranch ? { ...this.#counts, visits: new Map(this.#counts.visits) } : this.#counts;
    const visits = (counts.visits.get(visitor(node)) ?? 0) + 1;
    this.#check(smallest(this.#limits, counts.narrowed), {
      chain,
      told: depth,
      depth: depth + this.#counts.leaked + (this.#flaws.sharesDepth && by === 'delegation' ? this.#counts.open - this.#depth : 0),
      visits,
      steps: counts.steps + 1,
    });
    counts.visits.set(visitor(node), visits);
    counts.steps++;
    if (this.#flaws.narrowsEverybody) counts.narrowed = smallest(counts.narrowed, own);
    return new CountingGuard(this.#flaws, this.#below(own), counts, chain, depth);
  }

  #below(own: Limits | undefined): Limits {
    const { narrow = smallest } = this.#flaws;
    return narrow(this.#limits, own);
  }

  #check(limits: Limits, { chain, told, ...used }: { chain: readonly string[]; told: number; depth: number; visits: number; steps: number }): void {
    const severally = this.#flaws.oneNumber && Object.keys(limits).length > 1;
    for (const kind of ['depth', 'visits', 'steps'] as const) {
      const limit = limits[kind];
      if (limit !== undefined && (severally ? used.steps - 1 : used[kind]) > limit) throw this.#refusal({ kind, limit, depth: told, chain });
    }
  }

  #refusal(refusal: Refusal): Error {
    const { words = ({ kind, limit, depth, chain }) => `Refused: the ${kind} limit of ${limit} is reached at depth ${depth} (${chain.join(', ')}).` } = this.#flaws;
    return Object.assign(new Error(words(refusal)), { code: 'recursion-limit' });
  }

  #leave(way: 'success' | 'failure'): void {
    const { leaves } = this.#flaws;
    if (leaves === way || leaves === 'everything') this.#counts.leaked++;
  }
}

/** The smaller of inherited and own limits, each for itself. */
function smallest(inherited: Limits, own: Limits | undefined): Limits {
  const limits: Limits = { ...inherited };
  for (const kind of ['depth', 'visits', 'steps'] as const) {
    const values = [inherited[kind], own?.[kind]].filter((value) => value !== undefined);
    if (values.length > 0) limits[kind] = Math.min(...values);
  }
  return limits;
}
