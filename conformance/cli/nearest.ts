import { closest } from 'fastest-levenshtein';
import { UsageError } from '../usage-error.ts';

/** The known name that is most like a given one: it begins like it, or contains it, or is spelt alike. */
function nearest(given: string, known: readonly string[]): string {
  const word = given.toLowerCase();
  return known.find((name) => name.startsWith(word)) ?? (word.length > 3 ? known.find((name) => name.includes(word)) : undefined) ?? closest(word, known);
}

/** Bad input for a name that is not known: says so, and suggests the nearest. */
export function unknown(what: string, given: string, known: readonly string[]): UsageError {
  const all = known.length <= 8 ? ` (${known.join(', ')})` : '';
  return new UsageError(`There is no ${what} ${JSON.stringify(given)}. Did you mean "${nearest(given, known)}"?${all}`);
}
