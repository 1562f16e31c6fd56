import { type ChildProcess, fork } from 'node:child_process';
import type { Certificate } from './certificate.ts';
import type { Progress } from './certify-options.ts';
import type { CertifyJob, Message, ReplayJob } from './job.ts';
import type { Replayed } from './replay.ts';
import type { Story } from './story.ts';
import { UsageError } from './usage-error.ts';

export interface WatchOptions {
  /** The script to start: the CLI, which becomes the watched process when its first argument is `watched`. */
  readonly entry: string;
  /** After so many milliseconds without a sign of life the process is killed; 20,000 when absent. */
  readonly patience?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** What a process said before it ended, what it was doing then, and how it ended. */
export interface End {
  /** Absent when the process ended before its adapter was loaded. */
  runtime?: Certificate['runtime'];
  certificate?: Certificate;
  replayed?: Replayed;
  stories: Story[];
  during?: Progress;
  how: string;
}

/** The kit's own watchdog ends a case after 5 s without a sign of life: only a process that is stuck is silent for longer. */
const PATIENCE = 20_000;

/** How long an adapter may take to load. */
const PATIENCE_AT_FIRST = 30_000;

/** A process that has said all it had to say may take so long to exit. */
const GRACE = 2_000;

/** Has a job done by a process of its own, and waits until it has ended. @throws UsageError when the process refuses the job. */
export function watch(job: CertifyJob | ReplayJob, { entry, patience = PATIENCE, onProgress }: WatchOptions): Promise<End> {
  // Its standard output goes to our standard error: ours is for the report. A group of its own lets whatever it started end with it.
  const child = fork(entry, ['watched'], { stdio: ['ignore', 2, 2, 'ipc'], detached: process.platform !== 'win32' });
  const end: End = { stories: [], how: 'The process ended without a word.' };
  const reaper = reap(child);
  return new Promise<End>((resolve, reject) => {
    let uncaught: string | undefined;
    let refusal: Error | undefined;
    const silence = new Silence((duration) => {
      uncaught = `The process did nothing for ${duration / 1000} s, and was killed.`;
      reaper.kill();
    });
    silence.mayLast(PATIENCE_AT_FIRST);
    child.on('message', (message: Message) => {
      silence.mayLast(patience);
      if (message.kind === 'progress') onProgress?.(message.progress);
      if (message.kind === 'uncaught') uncaught = `An error was never caught: ${message.message}`;
      else if (message.kind === 'refused') refusal = Object.assign(new UsageError(message.message), message.stack !== undefined && { stack: message.stack });
      else if (message.kind === 'done') setTimeout(() => reaper.kill(), GRACE).unref();
      else note(end, message);
    });
    child.on('error', (error) => {
      silence.end();
      reaper.dismiss();
      reject(error);
    });
    whenGone(child, (code, signal) => {
      silence.end();
      reaper.kill();
      reaper.dismiss();
      end.how = uncaught ?? (signal ? `The process was killed by ${signal}.` : `The process exited with code ${code}.`);
      if (refusal) reject(refusal);
      else resolve(end);
    });
    child.send(job, (error) => error && reaper.kill());
  });
}

/** Keeps what a process said. */
function note(end: End, message: Message): void {
  if (message.kind === 'loaded') end.runtime = message.runtime;
  else if (message.kind === 'progress') end.during = message.progress;
  else if (message.kind === 'certificate') end.certificate = message.certificate;
  else if (message.kind === 'story') end.stories.push(message.story);
  else if (message.kind === 'replayed') end.replayed = message.replayed;
}

/** The time since the last sign of life. */
class Silence {
  readonly #tooLong: (duration: number) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(tooLong: (duration: number) => void) {
    this.#tooLong = tooLong;
  }

  /** Begins anew, and is too long after so many milliseconds. */
  mayLast(duration: number): void {
    this.end();
    this.#timer = setTimeout(this.#tooLong, duration, duration);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/** Waits until a process is gone and everything that it said has arrived. */
function whenGone(child: ChildProcess, then: (code: number | null, signal: NodeJS.Signals | null) => void): void {
  const exited = new Promise<[number | null, NodeJS.Signals | null]>((resolve) => child.once('exit', (code, signal) => resolve([code, signal])));
  const heard = new Promise<void>((resolve) => child.once('disconnect', resolve));
  void Promise.all([exited, heard]).then(([[code, signal]]) => then(code, signal));
}

/** What ends this process from outside, and with which exit code. */
const INTERRUPTIONS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

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
    process.exit(INTERRUPTIONS[signal as keyof typeof INTERRUPTIONS]);
  };
  const signals = Object.keys(INTERRUPTIONS) as (keyof typeof INTERRUPTIONS)[];
  process.on('exit', kill);
  for (const signal of signals) process.on(signal, interrupted);
  return {
    kill,
    dismiss: () => {
      process.off('exit', kill);
      for (const signal of signals) process.off(signal, interrupted);
    },
  };
}
