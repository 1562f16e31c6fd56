import type { RequirementId } from '../../spec/index.ts';
import type { MutantsOf } from '../mutant.ts';
import { cancellationMutants } from './cancellation.ts';
import { contextMutants } from './context.ts';
import { conversationMutants } from './conversation.ts';
import { executorMutants } from './executor.ts';
import { failureMutants } from './failure.ts';
import { forkMutants } from './fork.ts';
import { hostMutants } from './host.ts';
import { lineageMutants } from './lineage.ts';
import { recursionMutants } from './recursion.ts';
import { usageMutants } from './usage.ts';

/** For each requirement, what breaks it. A requirement without a mutant does not compile. */
export const mutants: MutantsOf<RequirementId> = {
  ...hostMutants,
  ...forkMutants,
  ...recursionMutants,
  ...usageMutants,
  ...contextMutants,
  ...executorMutants,
  ...conversationMutants,
  ...failureMutants,
  ...lineageMutants,
  ...cancellationMutants,
};
