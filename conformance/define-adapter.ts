import { closest } from 'fastest-levenshtein';
import { CAPABILITIES, type Capability } from '../spec/model/capability.ts';
import type { Adapter } from '../spec/model/ports.ts';
import { UsageError } from './usage-error.ts';

/**
 * Types an adapter, and looks at its shape where it is written.
 * @throws UsageError that names the field that is wrong.
 */
export function defineAdapter<A extends Adapter>(adapter: A): A {
  checkAdapter(adapter);
  return adapter;
}

/** Asserts the shape of an adapter. @throws UsageError that names the field that is wrong. */
export function checkAdapter(given: unknown): asserts given is Adapter {
  if (!isRecord(given)) throw wrong('itself', given, 'an object with name, version, capabilities and delegation');
  for (const field of ['name', 'version']) {
    if (typeof given[field] !== 'string' || given[field] === '') throw wrong(`field "${field}"`, given[field], 'a non-empty string');
  }
  if (!isRecord(given['capabilities'])) throw wrong('field "capabilities"', given['capabilities'], `an object that names each of ${Object.keys(CAPABILITIES).join(', ')}`);
  checkCapabilities(given['capabilities']);
  if (typeof given['delegation'] !== 'function') throw wrong('field "delegation"', given['delegation'], 'a function (team, kit) that builds the team');
}

function checkCapabilities(given: Readonly<Record<string, unknown>>): void {
  const known = Object.keys(CAPABILITIES) as Capability[];
  for (const name of Object.keys(given)) {
    if (name in CAPABILITIES) continue;
    throw new UsageError(`The adapter's field "capabilities.${name}" is not a capability. Did you mean "${closest(name, known)}"?`);
  }
  for (const name of known) {
    const claim = given[name];
    if (claim === true || (typeof claim === 'string' && claim.trim() !== '')) continue;
    throw wrong(`field "capabilities.${name}"`, claim, `true if the runtime ${CAPABILITIES[name]}, or the reason (a string) why it does not`);
  }
}

function wrong(what: string, given: unknown, wanted: string): UsageError {
  return new UsageError(`The adapter's ${what} is ${inBrief(given)}; it has to be ${wanted}.`.replace("adapter's itself", 'adapter'));
}

function inBrief(given: unknown): string {
  if (given === undefined) return 'missing';
  if (given === null) return 'null';
  if (typeof given === 'function') return 'a function';
  if (typeof given === 'object') return Array.isArray(given) ? 'an array' : 'an object';
  return JSON.stringify(given) ?? String(given);
}

function isRecord(given: unknown): given is Readonly<Record<string, unknown>> {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}
