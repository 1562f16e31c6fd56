import { conversation } from './conversation.ts';
import { fork } from './fork.ts';
import { host } from './host.ts';
import { recursion } from './recursion.ts';
import lock from './requirements.lock.json' with { type: 'json' };
import { usage } from './usage.ts';

/** Every chapter, in reading order. */
export const chapters = [host, fork, recursion, usage, conversation] as const;

/** The id of every requirement. */
export type RequirementId = (typeof chapters)[number]['requirements'][number]['id'];

/** Identifies the wording of every requirement. */
export const specDigest: string = lock.digest;

export { conversation, fork, host, recursion, usage };
