import { cancellation } from './cancellation.ts';
import { context } from './context.ts';
import { conversation } from './conversation.ts';
import { executor } from './executor.ts';
import { failure } from './failure.ts';
import { fork } from './fork.ts';
import { host } from './host.ts';
import { lineage } from './lineage.ts';
import { recursion } from './recursion.ts';
import lock from './requirements.lock.json' with { type: 'json' };
import { usage } from './usage.ts';

/** Every chapter, in reading order. */
export const chapters = [host, fork, recursion, usage, context, executor, conversation, failure, lineage, cancellation] as const;

/** The id of every requirement. */
export type RequirementId = (typeof chapters)[number]['requirements'][number]['id'];

/** Identifies the wording of every requirement. */
export const specDigest: string = lock.digest;

export { cancellation, context, conversation, executor, failure, fork, host, lineage, recursion, usage };
