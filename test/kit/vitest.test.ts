import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeConformance } from '../../conformance/vitest.ts';
import { ROOT } from '../fixtures/run-cli.ts';
import { tiny } from '../fixtures/tiny-runtime.ts';

/** What vitest's JSON reporter says of one test. */
interface Told {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: 'passed' | 'failed' | 'skipped' | 'pending';
  readonly failureMessages: readonly string[];
}

/** Runs the suites of a user's project, and gives back their tests by file. */
async function runSuites(): Promise<Readonly<Record<string, readonly Told[]>>> {
  const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
  const cwd = `${ROOT}/test/fixtures/suite`;
  const report = join(mkdtempSync(join(tmpdir(), 'tck-suite-')), 'report.json');
  await new Promise<void>((resolve) => {
    execFile(process.execPath, [vitest, 'run', '--root', cwd, '--reporter=json', `--outputFile=${report}`], { cwd, env: { ...process.env, NO_COLOR: '1' } }, () => resolve());
  });
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as { testResults: { name: string; assertionResults: Told[] }[] };
  return Object.fromEntries(testResults.map(({ name, assertionResults }) => [name.replace(/.*\//, ''), assertionResults]));
}

describe('describeConformance', () => {
  let suites: Awaited<ReturnType<typeof runSuites>>;
  const find = (suite: string, id: string): Told => suites[`${suite}.suite.ts`]?.find(({ title }) => title.startsWith(`${id}: `)) as Told;

  beforeAll(async () => {
    suites = await runSuites();
  });

  test('registers a suite for the chapter, and a test for each requirement with its sentence', () => {
    expect(find('tiny', 'host.reaches-sub-agents')).toMatchObject({ status: 'passed', ancestorTitles: ['tiny 1.0.0', 'host'], title: expect.stringContaining('MUST') });
  });

  test('skips what does not apply', () => {
    expect(find('tiny', 'host.deps-reach-sub-agents').status).toMatch(/skipped|pending/);
  });

  test('fails a violation with its story', () => {
    const { status, failureMessages } = find('host-loser', 'host.reaches-sub-agents');
    expect(status).toBe('failed');
    expect(failureMessages.join('\n')).toContain('✗ host.reaches-sub-agents MUST');
    expect(failureMessages.join('\n')).toContain('npx delegation-tck replay ');
  });

  test('passes a known violation, and fails one that is known no longer', () => {
    expect(find('host-loser', 'host.reaches-any-depth').status).toBe('passed');
    expect(find('host-loser', 'host.is-opaque').failureMessages.join('\n')).toContain('The baseline lists it (was known)');
  });

  test('refuses bad input while tests are collected', () => {
    expect(() => describeConformance({ ...tiny('x'), name: '' })).toThrow('field "name"');
    expect(() => describeConformance(tiny('x'), { chapters: ['hots'] })).toThrow('no chapter "hots"');
    expect(() => describeConformance(tiny('x'), { baseline: { violations: [{ id: 'host.none', reason: 'x' }] } })).toThrow('"host.none"');
  });
});
