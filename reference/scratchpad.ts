import type { Scratchpad, SlotDefinition } from '../spec/model/parts.ts';
import { InvalidDefinitionError } from './errors.ts';

/** Makes the scratchpad of a run. */
export function createScratchpad(): Scratchpad {
  return new Pad(new Map());
}

/** A slot that was touched, with its value. The definition that touched it first says how it merges. */
interface Cell {
  readonly slot: SlotDefinition<unknown>;
  value: unknown;
}

type Table = Map<string, Cell>;

class Pad implements Scratchpad {
  readonly #run: Table;
  /** Made when it is first needed: most branches never touch theirs. */
  #branch: Table | undefined;

  /** Shares its run-scoped state with whoever else holds the table. */
  constructor(run: Table) {
    this.#run = run;
  }

  get<T>(slot: SlotDefinition<T>): T {
    return this.#cell(slot).value as T;
  }

  set<T>(slot: SlotDefinition<T>, value: T): void {
    const cell = this.#table(slot).get(slot.key);
    if (cell) cell.value = value;
    else this.#table(slot).set(slot.key, { slot, value } as Cell);
  }

  /**
   * Changes a value in one synchronous step, so that nobody's update comes in between.
   * @requirement fork.no-update-is-lost
   */
  update<T>(slot: SlotDefinition<T>, change: (value: T) => T): void {
    const cell = this.#cell(slot);
    cell.value = change(cell.value as T);
  }

  /**
   * Gives a branch the very same run-scoped state and none of the branch-scoped state.
   * @requirement fork.run-slots-flow-down
   * @requirement fork.run-slots-flow-up
   * @requirement fork.run-slots-are-live
   * @requirement fork.branch-slots-start-fresh
   */
  fork(): Scratchpad {
    return new Pad(this.#run);
  }

  /**
   * Merges what branches left behind, in the order given.
   * @throws InvalidDefinitionError when a branch is not a scratchpad of this runtime
   * @requirement fork.merge-goes-by-index
   */
  join(branches: readonly Scratchpad[]): void {
    for (const branch of branches) this.#merge(branch);
  }

  /**
   * Merges the slots that a branch touched and that say how; the parent's value, or its initial one, comes first.
   * @requirement fork.unmerged-values-are-discarded
   * @requirement fork.parent-value-comes-first
   */
  #merge(branch: Scratchpad): void {
    if (!(#branch in branch)) {
      throw new InvalidDefinitionError('A branch to be joined is not a scratchpad of this runtime. Join only what fork() returned.');
    }
    for (const { slot, value } of branch.#branch?.values() ?? []) {
      if (slot.merge) this.set(slot, slot.merge(this.get(slot), value));
    }
  }

  /** Finds a slot's cell; the first who asks has it initialised, once for the run or the branch. */
  #cell<T>(slot: SlotDefinition<T>): Cell {
    const table = this.#table(slot);
    const known = table.get(slot.key);
    if (known) return known;
    const cell = { slot, value: slot.init() } as Cell;
    table.set(slot.key, cell);
    return cell;
  }

  #table({ scope }: Pick<SlotDefinition<unknown>, 'scope'>): Table {
    return scope === 'run' ? this.#run : (this.#branch ??= new Map());
  }
}
