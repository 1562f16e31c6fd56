import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { allRequirements } from '../../conformance/certify.ts';
import type { Progress } from '../../conformance/certify-options.ts';
import type { CertifyJob } from '../../conformance/job.ts';
import { certifyWatched } from '../../conformance/watch.ts';
import { CLI, fixture, ROOT } from '../fixtures/run-cli.ts';

/** Few cases, and what is needed to see them. */
function job(name: string, more: Partial<CertifyJob> = {}): CertifyJob {
  return { kind: 'certify', adapter: `${ROOT}/${fixture(name)}`, cases: 40, ...more };
}

const verdictsOf = async (name: string, more: Partial<CertifyJob> = {}, patience?: number): Promise<readonly (string | undefined)[]> => {
  const { certificate } = await certifyWatched(job(name, more), { entry: CLI, patience });
  return certificate.verdicts.filter(({ verdict }) => verdict === 'faulted').map(({ because }) => because);
};

describe('a runtime that', () => {
  test('exits harms only the verdicts on the cases in which it did', async () => {
    const because = await verdictsOf('exits.ts');
    expect(because).toContainEqual(expect.stringContaining('The process exited with code 7.'));
  });

  test('never gives the processor back is killed, and its case is lost', async () => {
    const because = await verdictsOf('loops.ts', { cases: 1 }, 1_500);
    expect(because).toContainEqual(expect.stringContaining('The process did nothing for 1.5 s, and was killed.'));
  });

  test('leaves an error uncaught is told its message', async () => {
    const because = await verdictsOf('loses-errors.ts');
    expect(because).toContainEqual(expect.stringContaining('An error was never caught: Error: nobody caught me'));
  });

  test('overflows its stack is judged like any other that throws', async () => {
    expect((await verdictsOf('overflows.ts')).filter((because) => because?.includes('process'))).toEqual([]);
  });

  test('ends case after case is tried again only until there is nothing left to learn', async () => {
    let processes = 0;
    const { certificate } = await certifyWatched(job('exits.ts'), {
      entry: CLI,
      onProgress: (progress: Progress) => {
        if (progress.kind === 'case' && progress.index === 0) processes++;
      },
    });
    expect(processes).toBeGreaterThan(1);
    expect(processes).toBeLessThanOrEqual(6);
    expect(certificate.certified).toBe(false);
  });

  test('exits before the first case gets no verdict at all', async () => {
    const because = await verdictsOf('exits-at-once.ts');
    expect(because).toHaveLength(allRequirements.length);
    expect(because[0]).toContain('The process exited with code 7.');
  });

  test('exits while it is loaded is a fault of the whole certification', async () => {
    await expect(certifyWatched(job('exits-on-import.ts'), { entry: CLI })).rejects.toEqual(
      expect.objectContaining({ code: 'fault', message: expect.stringMatching(/exits-on-import\.ts was loaded, the process exited with code 9/) }),
    );
  });
});

test('what a watched process finds is the same as what is found without one', async () => {
  const { certificate, stories } = await certifyWatched(job('host-loser.ts', { requirements: ['host.reaches-sub-agents'] }), { entry: CLI });
  expect(certificate.verdicts).toMatchObject([{ id: 'host.reaches-sub-agents', verdict: 'violated' }]);
  expect(stories).toMatchObject([{ id: 'host.reaches-sub-agents', token: certificate.verdicts[0]?.token }]);
});

describe('no process is left behind', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('by %s', { skip: process.platform !== 'linux' }, async (signal) => {
    // It spins without end; only the one that watches it can end it. When that one is killed outright, the channel breaks while it works.
    const name = signal === 'SIGKILL' ? 'waits-and-tells.ts' : 'spins-and-tells.ts';
    const watcher = spawn(process.execPath, [CLI, 'certify', fixture(name)], { cwd: ROOT, stdio: ['ignore', 'ignore', 'pipe'] });
    const pid = await new Promise<number>((resolve) => {
      let said = '';
      watcher.stderr.on('data', (chunk: Buffer) => {
        said += chunk;
        const match = /pid (\d+)\n/.exec(said);
        if (match) resolve(Number(match[1]));
      });
    });
    watcher.kill(signal);
    const [code] = await once(watcher, 'exit');
    expect(code).toBe({ SIGINT: 130, SIGTERM: 143, SIGKILL: null }[signal]);
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 20_000 });
  });
});

/** Tells whether a process does anything yet: one that is dead but not yet buried does not. */
function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
