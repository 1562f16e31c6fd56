import type { Ambient, MutableAdapter, Parts, Scratchpad, SlotDefinition, ToolCallSite } from '../../spec/model/parts.ts';
import type { Adapter } from '../../spec/model/ports.ts';

// Two ways to spoil state: where a delegation forks it, and where composites fork and join it.

/** Gives a delegated call another scratchpad than a fork of its caller's. Composites fork as before. */
export function crossingWith(adapter: MutableAdapter, flaw: (parts: Parts) => (pad: Scratchpad, site: ToolCallSite) => Scratchpad): Adapter {
  return adapter.withParts((parts) => {
    const child = flaw(parts);
    return {
      carry: (ambient: Ambient, site: ToolCallSite) => {
        const carried = parts.carry(ambient, site);
        const pad = carried.scratchpad;
        return pad ? { ...carried, scratchpad: forkingInto(pad, child(pad, site)) } : carried;
      },
    };
  });
}

/** A scratchpad that is another one, except that its fork is given. */
function forkingInto(pad: Scratchpad, fork: Scratchpad): Scratchpad {
  return {
    get: (slot) => pad.get(slot),
    set: (slot, value) => pad.set(slot, value),
    update: (slot, change) => pad.update(slot, change),
    join: (branches) => pad.join(branches),
    fork: () => fork,
  };
}

/** A fork whose branch-scoped slots start from what its parent has. */
export function copyingBranchSlots(parent: Scratchpad): Scratchpad {
  const fork = parent.fork();
  const touched = new Set<string>();
  const touch = <T>(slot: SlotDefinition<T>): void => {
    if (slot.scope !== 'branch' || touched.has(slot.key)) return;
    touched.add(slot.key);
    fork.update(slot as unknown as SlotDefinition<unknown[]>, (own) => [...(parent.get(slot) as unknown[]), ...own]);
  };
  return {
    get: (slot) => (touch(slot), fork.get(slot)),
    set: (slot, value) => (touch(slot), fork.set(slot, value)),
    update: (slot, change) => (touch(slot), fork.update(slot, change)),
    fork: () => fork.fork(),
    join: (branches) => fork.join(branches),
  };
}

interface Copy {
  readonly slot: SlotDefinition<unknown[]>;
  readonly from: readonly unknown[];
  value: unknown[];
}

/** A delegated call's scratchpad with a copy of run-scoped state, taken at the first touch; `settle` writes it back. */
export class SnapshotPad implements Scratchpad {
  readonly #parent: Scratchpad;
  readonly #fork: Scratchpad;
  readonly #copies: Map<string, Copy>;
  readonly #open: SnapshotPad[];

  constructor(parent: Scratchpad, like?: SnapshotPad) {
    this.#parent = parent;
    this.#fork = ((like ?? parent instanceof SnapshotPad) ? (like ?? (parent as SnapshotPad)).#fork : parent).fork();
    this.#copies = like ? like.#copies : new Map();
    this.#open = like ? like.#open : [];
    if (!like && parent instanceof SnapshotPad) parent.#open.push(this);
  }

  get<T>(slot: SlotDefinition<T>): T {
    return slot.scope === 'run' ? (this.#copy(slot).value as T) : this.#fork.get(slot);
  }

  set<T>(slot: SlotDefinition<T>, value: T): void {
    if (slot.scope === 'run') this.#copy(slot).value = value as unknown[];
    else this.#fork.set(slot, value);
  }

  update<T>(slot: SlotDefinition<T>, change: (value: T) => T): void {
    this.set(slot, change(this.get(slot)));
  }

  /** A composite's branch works on the same copy. */
  fork(): Scratchpad {
    return new SnapshotPad(this.#parent, this);
  }

  join(branches: readonly Scratchpad[]): void {
    this.#fork.join(branches.flatMap((branch) => (branch instanceof SnapshotPad ? [branch.#fork] : [])));
  }

  /** Writes back what calls below left, then what came to its own copies. */
  settle(): void {
    for (const below of this.#open.splice(0)) below.settle();
    for (const { slot, value, from } of this.#copies.values()) {
      const added = value.filter((entry) => !from.includes(entry));
      this.#parent.update(slot, (current) => [...current, ...added]);
    }
    this.#copies.clear();
  }

  #copy<T>(slot: SlotDefinition<T>): Copy {
    const known = this.#copies.get(slot.key);
    if (known) return known;
    const value = this.#parent.get(slot) as unknown[];
    const copy: Copy = { slot: slot as unknown as SlotDefinition<unknown[]>, value, from: value };
    this.#copies.set(slot.key, copy);
    return copy;
  }
}

/** How composites fork and join state; what is left out is done right. */
export interface CompositeFlaws {
  readonly fork?: (pad: CompositePad) => CompositePad;
  readonly join?: (pad: CompositePad, branches: readonly CompositePad[]) => void;
}

/** A scratchpad of the plainest kind, right in all things but those that its flaws name. */
export class CompositePad implements Scratchpad {
  readonly run: Map<string, unknown>;
  readonly branch = new Map<string, { readonly slot: SlotDefinition<unknown>; value: unknown }>();
  readonly flaws: CompositeFlaws;
  readonly clock: { now: number };
  /** When it was last written to, in writes to the whole run. */
  touchedAt = 0;

  constructor(flaws: CompositeFlaws, above?: CompositePad) {
    this.flaws = flaws;
    this.run = above?.run ?? new Map();
    this.clock = above?.clock ?? { now: 0 };
  }

  get<T>(slot: SlotDefinition<T>): T {
    if (slot.scope === 'run') return (this.run.has(slot.key) ? this.run.get(slot.key) : slot.init()) as T;
    return (this.branch.get(slot.key)?.value ?? slot.init()) as T;
  }

  set<T>(slot: SlotDefinition<T>, value: T): void {
    this.touchedAt = ++this.clock.now;
    if (slot.scope === 'run') this.run.set(slot.key, value);
    else this.branch.set(slot.key, { slot: slot as unknown as SlotDefinition<unknown>, value });
  }

  update<T>(slot: SlotDefinition<T>, change: (value: T) => T): void {
    this.set(slot, change(this.get(slot)));
  }

  /** What a composite calls for each of its branches. */
  fork(): CompositePad {
    return this.flaws.fork ? this.flaws.fork(this) : this.rightFork();
  }

  rightFork(): CompositePad {
    return new CompositePad(this.flaws, this);
  }

  join(branches: readonly Scratchpad[]): void {
    const own = branches.filter((branch) => branch instanceof CompositePad);
    if (this.flaws.join) this.flaws.join(this, own);
    else this.rightJoin(own);
  }

  rightJoin(branches: readonly CompositePad[]): void {
    for (const branch of branches) for (const { slot, value } of branch.branch.values()) if (slot.merge) this.set(slot, slot.merge(this.get(slot), value));
  }
}

/** Puts flaws into how composites fork and join; a delegation forks as it should. */
export function composingWith(adapter: MutableAdapter, flaws: CompositeFlaws): Adapter {
  return adapter.withParts((parts) => ({
    createScratchpad: () => new CompositePad(flaws),
    carry: (ambient, site) => {
      const carried = parts.carry(ambient, site);
      const pad = carried.scratchpad;
      return pad instanceof CompositePad ? { ...carried, scratchpad: forkingInto(pad, pad.rightFork()) } : carried;
    },
  }));
}
