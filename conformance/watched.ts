import type { Adapter } from '../spec/model/ports.ts';
import { certifyAndTell } from './certify-and-tell.ts';
import { loadAdapter } from './load-adapter.ts';
import { replay } from './replay.ts';
import type { CertifyJob, Message, ReplayJob } from './job.ts';

/**
 * The process in which a runtime is enacted, so that one that exits, crashes or hangs takes nothing else with it. It is
 * told one job by the process that watches it, and tells what came of it.
 */
export function serve(): void {
  process.once('message', (job: CertifyJob | ReplayJob) => void work(job));
  process.once('disconnect', () => process.exit());
  process.on('uncaughtException', (error) =>
    say({ kind: 'uncaught', message: error instanceof Error ? `${error.name}: ${error.message}` : String(error) }, () => process.exit(70)),
  );
}

async function work(job: CertifyJob | ReplayJob): Promise<void> {
  try {
    const adapter = alive(await loadAdapter(job.adapter));
    say({ kind: 'loaded', runtime: { name: adapter.name, version: adapter.version } });
    if (job.kind === 'certify') await certifyAndTell(adapter, job, teller);
    else say({ kind: 'replayed', replayed: await replay(adapter, job.token) });
  } catch (error) {
    say({ kind: 'refused', message: error instanceof Error ? error.message : String(error), stack: stackOf(error) });
  }
  say({ kind: 'done' }, () => process.exit());
}

const teller: Parameters<typeof certifyAndTell>[2] = {
  onProgress: (progress) => say({ kind: 'progress', progress }),
  onCertificate: (certificate) => say({ kind: 'certificate', certificate }),
  onStory: (story) => say({ kind: 'story', story }),
};

/** The same adapter, which gives a sign of life whenever a case begins. */
function alive(adapter: Adapter): Adapter {
  const delegation: Adapter['delegation'] = (team, kit) => {
    say({ kind: 'beat' });
    return adapter.delegation(team, kit);
  };
  return Object.create(adapter, { delegation: { value: delegation } }) as Adapter;
}

function say(message: Message, then: () => void = () => {}): void {
  if (process.connected) process.send?.(message, undefined, undefined, then);
  else then();
}

function stackOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return error.cause instanceof Error ? `${error.stack}\nCaused by: ${error.cause.stack}` : error.stack;
}
