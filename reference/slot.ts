import type { SlotDefinition } from '../spec/model/parts.ts';
import { InvalidDefinitionError } from './errors.ts';

/**
 * Defines a piece of state. Two definitions with equal key and scope are one slot.
 * @throws InvalidDefinitionError when the key is empty
 */
export function slot<T>(definition: SlotDefinition<T>): SlotDefinition<T> {
  if (definition.key === '') throw new InvalidDefinitionError('A slot has an empty key. Give it a key that no other state uses.');
  return Object.freeze({ ...definition });
}
