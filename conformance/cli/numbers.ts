import { UsageError } from '../usage-error.ts';

/** The most cases that can be asked for. */
const MAX_CASES = 1_000_000;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

/** Reads the argument of `--cases`. */
export function readCases(given: string): number {
  return wholeNumber('--cases', given, 1, MAX_CASES);
}

/** Reads the argument of `--seed`: any 32-bit integer. */
export function readSeed(given: string): number {
  return wholeNumber('--seed', given, -(2 ** 31), 2 ** 31 - 1);
}

/** Reads a duration, in milliseconds: `30` and `30s` are seconds, `500ms` milliseconds, `2m` minutes. */
export function readDuration(given: string, option = '--time-budget'): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(given);
  const duration = match ? Number(match[1]) * (UNITS[match[2] ?? 's'] as number) : Number.NaN;
  if (duration >= 1 && duration <= 86_400_000) return duration;
  throw new UsageError(`${option} was given ${JSON.stringify(given)}; give seconds, or a duration such as 500ms, 30s or 2m, up to a day.`);
}

function wholeNumber(option: string, given: string, least: number, most: number): number {
  const value = /^[+-]?\d+$/.test(given) ? Number(given) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`${option} was given ${JSON.stringify(given)}; give a whole number from ${least} to ${most}.`);
}
