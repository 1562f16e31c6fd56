import type { RequirementId } from '../../spec/index.ts';
import type { MutantsOf } from '../mutant.ts';
import { conversationMutants } from './conversation.ts';
import { forkMutants } from './fork.ts';
import { hostMutants } from './host.ts';
import { recursionMutants } from './recursion.ts';
import { usageMutants } from './usage.ts';

/** For each requirement, what breaks it. A requirement without a mutant does not compile. */
export const mutants: MutantsOf<RequirementId> = { ...hostMutants, ...forkMutants, ...recursionMutants, ...usageMutants, ...conversationMutants };
