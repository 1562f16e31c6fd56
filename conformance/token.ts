import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { type Scenario, scenarioSchema } from '../spec/model/scenario.ts';
import { UsageError } from './usage-error.ts';

const contents = z.object({ v: z.literal(1), a: z.string(), r: z.string(), s: scenarioSchema });

/** One case to enact again: which requirement, on which adapter, in which scenario. */
export interface Replay {
  readonly requirement: string;
  /** Where the adapter was loaded from, as it was given; empty when it was certified from code. */
  readonly adapter: string;
  readonly scenario: Scenario;
}

/** Writes a case as one word. It holds the whole scenario with its schedule, so it outlives changes of the generator. */
export function encodeToken({ requirement, adapter, scenario }: Replay): string {
  return deflateRawSync(JSON.stringify({ v: 1, a: adapter, r: requirement, s: scenario }), { level: 9 }).toString('base64url');
}

/** Reads a token. @throws UsageError when it is cut short or altered. */
export function decodeToken(token: string): Replay {
  try {
    const { a, r, s } = contents.parse(JSON.parse(inflateRawSync(Buffer.from(token, 'base64url'), { maxOutputLength: 1_000_000 }).toString()));
    return { adapter: a, requirement: r, scenario: s };
  } catch (error) {
    throw new UsageError(`The token is malformed (${token.length} characters). Copy it whole, as one word, from the report.`, { cause: error });
  }
}
