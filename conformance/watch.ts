import { Fault } from './fault.ts';
import type { CertifyJob, Loss, ReplayJob, Told } from './job.ts';
import type { Replayed } from './replay.ts';
import { decodeToken } from './token.ts';
import { type End, watch, type WatchOptions } from './watched-process.ts';

/** However many cases end their process: this often a new one is started. */
const MAX_LOST = 60;

/**
 * Certifies in a process of its own. A case that ends that process (by exiting, crashing or hanging) is lost, and the
 * others are certified in a new one.
 * @throws UsageError when the adapter cannot be loaded.
 * @throws Fault when the process ends while it loads the adapter, or does not get to a certificate at all.
 */
export async function certifyWatched(job: CertifyJob, options: WatchOptions): Promise<Told> {
  const deadline = performance.now() + (job.timeBudget ?? Number.POSITIVE_INFINITY);
  for (let next = job; ; ) {
    const timeBudget = job.timeBudget === undefined ? undefined : Math.max(1, deadline - performance.now());
    const end = await watch({ ...next, timeBudget }, options);
    if (end.certificate) return { certificate: end.certificate, stories: end.stories };
    next = without(next, end);
  }
}

/** Enacts one case in a process of its own. One that ends the process is faulted. @throws UsageError when there is no adapter. */
export async function replayWatched(job: ReplayJob, options: WatchOptions): Promise<Replayed> {
  const { replayed, runtime, how } = await watch(job, options);
  if (replayed) return replayed;
  if (!runtime) throw neverLoaded(job.adapter, how);
  return { requirement: decodeToken(job.token).requirement, runtime, verdict: 'faulted', because: how, trace: [] };
}

/** The same job without what ended the process. */
function without(job: CertifyJob, { runtime, during, how }: End): CertifyJob {
  if (!runtime) throw neverLoaded(job.adapter, how);
  if (job.givenUp !== undefined) throw new Fault(`Certification could not be finished. ${how}`);
  const { lost = [], shrink = true } = job;
  if (during?.kind === 'case' && lost.length < MAX_LOST && !isLost(lost, during.index)) return { ...job, lost: [...lost, [during.index, how]] };
  if (during?.kind === 'shrinking' && shrink) return { ...job, shrink: false };
  return { ...job, givenUp: how };
}

function isLost(lost: readonly Loss[], index: number): boolean {
  return lost.some(([one]) => one === index);
}

function neverLoaded(adapter: string, how: string): Fault {
  return new Fault(`Nothing could be enacted. While ${adapter} was loaded, ${how.charAt(0).toLowerCase()}${how.slice(1)}`);
}
