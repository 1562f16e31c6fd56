import { type ChildProcess, fork } from 'node:child_process';
import type { Certificate } from './certificate.ts';
import type { Progress } from './certify-options.ts';
import { Fault } from './fault.ts';
import type { Replayed } from './replay.ts';
import type { Story } from './story.ts';
import { UsageError } from './usage-error.ts';

/** What is certified, as it crosses to the watched process. */
export interface CertifyJob {
  readonly kind: 'certify';
  readonly adapter: string;
  readonly seed?: number | undefined;
  readonly cases?: number | undefined;
  /** Ids; all when absent. */
  readonly requirements?: readonly string[] | undefined;
  readonly timeBudget?: number | undefined;
  readonly shrink?: boolean | undefined;
  /** Pairs of index and how the case ended its process. */
  readonly lost?: readonly (readonly [number, string])[] | undefined;
}

/** One case to enact again, as it crosses to the watched process. */
export interface ReplayJob {
  readonly kind: 'replay';
  readonly adapter: string;
  readonly token: string;
}

/** What the watched process says. `beat` is a sign of life: a case begins to be enacted. */
export type Message =
  | { readonly kind: 'beat' }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'certificate'; readonly certificate: Certificate }
  | { readonly kind: 'story'; readonly story: Story }
  | { readonly kind: 'replayed'; readonly replayed: Replayed }
  | { readonly kind: 'refused'; readonly message: string; readonly stack?: string | undefined }
  | { readonly kind: 'uncaught'; readonly message: string }
  | { readonly kind: 'done' };

/** A certificate, and its violations as stories. */
export interface Told {
  readonly certificate: Certificate;
  readonly stories: readonly Story[];
}

export interface WatchOptions {
  /** The script to start: the CLI, which becomes the watched process when its first argument is `watched`. */
  readonly entry: string;
  /** After so many milliseconds without a sign of life the process is killed; while it loads the adapter, after 30 s. */
  readonly patience?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** The first argument that makes the CLI the watched process. */
export const WATCHED = 'watched';

/** The kit's own watchdog ends a case after 5 s without a sign of life: only a process that is stuck is silent for longer. */
const PATIENCE = 10_000;

/** How long an adapter may take to load. */
const PATIENCE_AT_FIRST = 30_000;

/** How many cases may end their process before the rest is given up. */
const MAX_LOST = 5;

/** A process that has said all it had to say may take so long to exit. */
const GRACE = 2_000;

/**
 * Certifies in a process of its own. A case that ends that process (by exiting, crashing or hanging) is lost, and the
 * others are certified in a new one.
 * @throws UsageError when the adapter cannot be loaded.
 * @throws Fault when the process ends before the first case or after the last.
 */
export async function certifyWatched(job: CertifyJob, options: WatchOptions): Promise<Told> {
  const lost = new Map<number, string>();
  const deadline = performance.now() + (job.timeBudget ?? Number.POSITIVE_INFINITY);
  let shrink = true;
  for (let attempt = 0; attempt <= MAX_LOST + 2; attempt++) {
    const timeBudget = job.timeBudget === undefined ? undefined : Math.max(1, deadline - performance.now());
    const end = await watch({ ...job, timeBudget, shrink, lost: [...lost] }, options);
    if (end.certificate) return { certificate: end.certificate, stories: end.stories };
    if (end.during?.kind === 'case') lose(lost, end.during, end.how);
    else if (end.during?.kind === 'shrinking' && shrink) shrink = false;
    else
      throw new Fault(
        end.during ? `Certification could not be finished. ${end.how}` : `Certification could not begin. While the adapter was loaded and first tried, ${lowerFirst(end.how)}`,
      );
  }
  throw new Fault(`Certification was given up: it ended its process ${MAX_LOST + 3} times, in a different case each time.`);
}

/** Enacts one case in a process of its own. One that ends the process is faulted. */
export async function replayWatched(job: ReplayJob, options: WatchOptions): Promise<Replayed> {
  const end = await watch(job, options);
  if (!end.replayed) throw new Fault(`The case could not be enacted to its end. ${end.how}`);
  return end.replayed;
}

function lose(lost: Map<number, string>, { index, of }: Extract<Progress, { kind: 'case' }>, how: string): void {
  lost.set(index, how);
  if (lost.size < MAX_LOST) return;
  for (let rest = index + 1; rest < of; rest++) lost.set(rest, `The kit gave up after ${MAX_LOST} cases that ended their process. The last time: ${how}`);
}

/** What a process said before it ended, what it was doing then, and how it ended. */
interface End {
  certificate?: Certificate;
  replayed?: Replayed;
  stories: Story[];
  during?: Progress;
  how: string;
}

function watch(job: CertifyJob | ReplayJob, { entry, patience = PATIENCE, onProgress }: WatchOptions): Promise<End> {
  // Its standard output goes to our standard error: ours is for the report. A group of its own lets whatever it started end with it.
  const child = fork(entry, [WATCHED], { stdio: ['ignore', 2, 2, 'ipc'], detached: process.platform !== 'win32' });
  const end: End = { stories: [], how: 'The process ended without a word.' };
  const reaper = reap(child);
  return new Promise<End>((resolve, reject) => {
    let uncaught: string | undefined;
    let refusal: Error | undefined;
    const silentFor = (duration: number): NodeJS.Timeout =>
      setTimeout(() => {
        uncaught = `The process did nothing for ${duration / 1000} s, and was killed.`;
        reaper.kill();
      }, duration);
    let silence = silentFor(PATIENCE_AT_FIRST);
    child.once('message', () => {
      clearTimeout(silence);
      silence = silentFor(patience);
    });
    child.on('message', (message: Message) => {
      silence.refresh();
      if (message.kind === 'progress') {
        end.during = message.progress;
        onProgress?.(message.progress);
      } else if (message.kind === 'certificate') end.certificate = message.certificate;
      else if (message.kind === 'story') end.stories.push(message.story);
      else if (message.kind === 'replayed') end.replayed = message.replayed;
      else if (message.kind === 'uncaught') uncaught = `An error was never caught: ${message.message}`;
      else if (message.kind === 'refused') refusal = Object.assign(new UsageError(message.message), message.stack !== undefined && { stack: message.stack });
      else if (message.kind === 'done') setTimeout(() => reaper.kill(), GRACE).unref();
    });
    child.on('error', (error) => {
      clearTimeout(silence);
      reject(error);
    });
    bothEnded(child, (code, signal) => {
      clearTimeout(silence);
      reaper.kill();
      reaper.dismiss();
      end.how = uncaught ?? (signal ? `The process was killed by ${signal}.` : `The process exited with code ${code}.`);
      if (refusal) reject(refusal);
      else resolve(end);
    });
    child.send(job, (error) => error && reaper.kill());
  });
}

/** Waits until a process is gone and everything that it said has arrived. */
function bothEnded(child: ChildProcess, then: (code: number | null, signal: NodeJS.Signals | null) => void): void {
  const exited = new Promise<[number | null, NodeJS.Signals | null]>((resolve) => child.once('exit', (code, signal) => resolve([code, signal])));
  const heard = new Promise<void>((resolve) => child.once('disconnect', resolve));
  void Promise.all([exited, heard]).then(([[code, signal]]) => then(code, signal));
}

/** Sees to it that a process and whatever it started end when it has to, and at the latest when this process ends. */
function reap(child: ChildProcess): { kill(): void; dismiss(): void } {
  const kill = (): void => {
    try {
      if (child.pid !== undefined && process.platform !== 'win32') process.kill(-child.pid, 'SIGKILL');
      else child.kill('SIGKILL');
    } catch {
      // It is gone already.
    }
  };
  const interrupted = (signal: NodeJS.Signals): void => {
    kill();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  process.on('exit', kill).on('SIGINT', interrupted).on('SIGTERM', interrupted);
  return { kill, dismiss: () => process.off('exit', kill).off('SIGINT', interrupted).off('SIGTERM', interrupted) };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
