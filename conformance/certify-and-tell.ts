import type { Adapter } from '../spec/model/ports.ts';
import type { Certificate } from './certificate.ts';
import { allRequirements, certify } from './certify.ts';
import type { Progress } from './certify-options.ts';
import { portablePath } from './load-adapter.ts';
import { storiesOf } from './stories.ts';
import type { Story } from './story.ts';
import type { CertifyJob, Told } from './watch.ts';

/** Told of everything as soon as it is there. */
interface Listener {
  onProgress?(progress: Progress): void;
  onCertificate?(certificate: Certificate): void;
  onStory?(story: Story): void;
}

/** Certifies an adapter as a job asks, and tells its violations. */
export async function certifyAndTell(adapter: Adapter, job: CertifyJob, listener: Listener): Promise<Told> {
  const certificate = await certify(adapter, {
    seed: job.seed,
    cases: job.cases,
    timeBudget: job.timeBudget,
    shrink: job.shrink,
    lost: new Map(job.lost),
    requirements: job.requirements && allRequirements.filter(({ id }) => job.requirements?.includes(id)),
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
