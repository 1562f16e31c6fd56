import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Certificate } from '../../conformance/certificate.ts';
import { cli, cliIn, fixture, ROOT } from '../fixtures/run-cli.ts';

const directory = mkdtempSync(join(tmpdir(), 'tck-certify-'));
const path = (name: string): string => join(directory, name);

function baseline(name: string, ...ids: readonly string[]): string {
  writeFileSync(path(name), JSON.stringify({ violations: ids.map((id) => ({ id, reason: 'lived with since spring' })) }));
  return path(name);
}

const FEW = ['--chapter', 'host', '--cases', '60'] as const;

describe.concurrent('certify', () => {
  test('certifies a correct runtime, names what it lacks, and exits with 0', async () => {
    const { code, stdout, stderr } = await cli('certify', fixture('tiny'));
    expect(stdout.replace(/\s+/g, ' ')).toContain('Certified in-process, without scratchpad, deps, usage, limits, composites, abort, timeouts,');
    expect(stdout).toContain('without usage: tiny on purpose');
    expect(stderr).toMatch(/^host: \d+ hold/m);
    expect(code).toBe(0);
  });

  test('tells a violation as a story and exits with 1', async () => {
    const { code, stdout } = await cli('certify', fixture('host-loser.ts'), ...FEW);
    expect(stdout).toContain('✗ host.reaches-sub-agents MUST');
    expect(stdout).toMatch(/ {2}> +\d+\. \w+'s \(r0\/0\.0\) tool is handed no host value/);
    expect(stdout).toMatch(/npx delegation-tck replay [\w-]+/);
    expect(code).toBe(1);
  });

  test('fits 80 columns, but for the token', async () => {
    const { stdout } = await cli('certify', fixture('host-loser.ts'), '--cases', '60');
    expect(stdout.split('\n').filter((line) => line.length > 80 && !line.includes('replay'))).toEqual([]);
  });

  test('prints one certificate and nothing else with --json, whatever the adapter prints', async () => {
    for (const isolation of [[], ['--no-isolate']]) {
      const { code, stdout, stderr } = await cli('certify', fixture('noisy.ts'), ...FEW, '--json', ...isolation);
      const certificate = JSON.parse(stdout) as Certificate;
      expect(certificate).toMatchObject({ runtime: { name: 'noisy', version: '1.0.0' }, certified: true, summary: { violated: 0, faulted: 0 } });
      expect(stderr).toContain('noise at work');
      expect(code).toBe(0);
    }
  });

  test('gives the same verdicts in this process as in a watched one, and for the same seed', async () => {
    const runs = await Promise.all([[], ['--no-isolate'], []].map((more) => cli('certify', fixture('host-loser.ts'), ...FEW, '--seed', '7', '--json', ...more)));
    const [first, ...others] = runs.map(({ stdout }) => ({ ...(JSON.parse(stdout) as Certificate), startedAt: '' }));
    for (const other of others) expect(other).toEqual(first);
  });

  test('takes chapters and ids together', async () => {
    const { stdout } = await cli('certify', fixture('tiny'), '--chapter', 'recursion', '--only', 'host.is-opaque', '--cases', '60', '--json');
    const { verdicts } = JSON.parse(stdout) as Certificate;
    expect(new Set(verdicts.map(({ chapter }) => chapter))).toEqual(new Set(['host', 'recursion']));
    expect(verdicts.filter(({ chapter }) => chapter === 'host').map(({ id }) => id)).toEqual(['host.is-opaque']);
  });

  test('does not claim more than it was asked for', async () => {
    const { stdout } = await cli('certify', 'adapters/reference', '--only', 'host.is-opaque');
    expect(stdout).toMatch(/Certified in-process in the 1 of \d+ requirements that were asked for\./);
  });

  test('writes each report where it belongs', async () => {
    const args = ['--reporter', 'console', '--reporter', 'json', '--out', path('c.json'), '--reporter', 'junit', '--out', path('j.xml')];
    const { code, stdout } = await cli('certify', fixture('tiny'), ...FEW, ...args);
    expect(stdout).toContain('Certified in-process');
    expect(JSON.parse(readFileSync(path('c.json'), 'utf8'))).toMatchObject({ certified: true });
    expect(readFileSync(path('j.xml'), 'utf8')).toContain('<testcase classname="tiny.host" name="host.is-opaque"/>');
    expect(code).toBe(0);
  });

  test('takes - for standard output, and pairs reporters and places in their order', async () => {
    const args = ['--reporter', 'console', '--reporter', 'junit', '--out', '-', '--out', path('paired.xml')];
    const { code, stdout } = await cli('certify', fixture('tiny'), ...FEW, ...args);
    expect(stdout).toContain('Certified in-process');
    expect(readFileSync(path('paired.xml'), 'utf8')).toContain('<testsuite name="host"');
    expect(code).toBe(0);
  });

  test('is inconclusive, and exits with 2, when it was not given enough to go by', async () => {
    const { code, stdout } = await cli('certify', fixture('tiny'), '--chapter', 'host', '--cases', '1', '--json');
    expect((JSON.parse(stdout) as Certificate).summary.inconclusive).toBeGreaterThan(0);
    expect(code).toBe(2);
  });

  test('exits with 2 when nothing that was asked for applies', async () => {
    expect(await cli('certify', fixture('tiny'), '--only', 'fork.run-slots-flow-up', '--cases', '20')).toMatchObject({ code: 2 });
  });

  test('exits with 3 when the adapter breaks, and says that this is no verdict on the runtime', async () => {
    const { code, stdout } = await cli('certify', fixture('throws-in-port.ts'), ...FEW);
    expect(stdout.replace(/\s+/g, ' ')).toContain('team.nodes is not iterable');
    expect(stdout.replace(/\s+/g, ' ')).toContain('this says nothing of the runtime');
    expect(code).toBe(3);
  });

  test('keeps the path of the adapter in a token relative to the working directory', async () => {
    const { stdout } = await cliIn(join(ROOT, 'test'), 'certify', join(ROOT, 'test/fixtures/host-loser.ts'), ...FEW, '--json');
    const token = (JSON.parse(stdout) as Certificate).verdicts.find(({ verdict }) => verdict === 'violated')?.token as string;
    expect((await cliIn(join(ROOT, 'test'), 'replay', token)).code).toBe(1);
    expect((await cliIn(ROOT, 'replay', token)).stderr).toContain('"./fixtures/host-loser.ts"');
  });
});

describe.concurrent('a baseline', () => {
  const VIOLATED = ['host.reaches-sub-agents', 'host.reaches-any-depth'] as const;

  test('excuses known violations, and says so', async () => {
    const { code, stdout } = await cli('certify', fixture('host-loser.ts'), ...FEW, '--baseline', baseline('known.json', ...VIOLATED));
    expect(stdout).toContain('lived with since spring');
    expect(stdout).toContain('Not certified in-process, but nothing beyond the baseline: 2 known violations.');
    expect(stdout).not.toContain('✗');
    expect(code).toBe(0);
  });

  test('turns red on a violation that it does not list', async () => {
    const { code, stdout } = await cli('certify', fixture('host-loser.ts'), ...FEW, '--baseline', baseline('new.json', VIOLATED[0]));
    expect(stdout).toContain(`✗ ${VIOLATED[1]}`);
    expect(stdout).not.toContain(`✗ ${VIOLATED[0]}`);
    expect(code).toBe(1);
  });

  test('turns red on an entry that is no longer true, also of a requirement that does not apply', async () => {
    for (const id of ['host.is-opaque', 'host.deps-reach-sub-agents']) {
      const { code, stdout } = await cli('certify', fixture('tiny'), ...FEW, '--baseline', baseline('stale.json', id));
      expect(stdout).toContain(`stale  ${id}`);
      expect(code).toBe(1);
    }
  });

  test('does not mind entries of what was not asked for', async () => {
    expect(await cli('certify', fixture('tiny'), '--only', 'host.is-opaque', '--cases', '100', '--baseline', baseline('apart.json', ...VIOLATED))).toMatchObject({ code: 0 });
  });

  test('does not excuse what was never put to the test', async () => {
    expect(await cli('certify', fixture('tiny'), '--chapter', 'host', '--cases', '1', '--baseline', baseline('few.json', 'host.is-opaque'))).toMatchObject({ code: 2 });
  });
});
