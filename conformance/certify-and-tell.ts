import type { Adapter } from '../spec/model/ports.ts';
import type { Certificate } from './certificate.ts';
import { DEFAULT_CASES, DEFAULT_SEED, scenariosFor } from './cases.ts';
import { allRequirements, certify } from './certify.ts';
import type { Progress } from './certify-options.ts';
import { portablePath } from './load-adapter.ts';
import { casesToLeaveOut } from './losses.ts';
import { storiesOf } from './stories.ts';
import type { Story } from './story.ts';
import type { CertifyJob, Told } from './job.ts';

/** Told of everything as soon as it is there. */
interface Listener {
  onProgress?(progress: Progress): void;
  onCertificate?(certificate: Certificate): void;
  onStory?(story: Story): void;
}

/** Certifies an adapter as a job asks, and tells its violations. */
export async function certifyAndTell(given: Adapter, job: CertifyJob, listener: Listener): Promise<Told> {
  const adapter = job.givenUp === undefined ? given : refusing(given, job.givenUp);
  const { seed = DEFAULT_SEED, cases = DEFAULT_CASES, lost = [] } = job;
  const requirements = allRequirements.filter(({ id }) => job.requirements?.includes(id) ?? true);
  const certificate = await certify(adapter, {
    seed,
    cases,
    requirements,
    timeBudget: job.timeBudget,
    shrink: job.shrink,
    lost: casesToLeaveOut(adapter, requirements, scenariosFor(adapter, seed, cases), lost),
    adapterPath: portablePath(job.adapter),
    onProgress: (progress) => listener.onProgress?.(progress),
  });
  listener.onCertificate?.(certificate);
  const stories: Story[] = [];
  for await (const story of storiesOf(adapter, certificate)) {
    stories.push(story);
    listener.onStory?.(story);
  }
  return { certificate, stories };
}

/** The same adapter, but nothing is enacted: it only tells why not. */
function refusing(adapter: Adapter, why: string): Adapter {
  const delegation = (): never => {
    throw new Error(why);
  };
  return Object.create(adapter, { delegation: { value: delegation } }) as Adapter;
}
