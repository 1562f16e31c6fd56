import { beforeAll, describe, expect, test } from 'vitest';
import type { Certificate } from '../../conformance/certificate.ts';
import { encodeToken } from '../../conformance/token.ts';
import { cli, fixture } from '../fixtures/run-cli.ts';

const agent = { kind: 'agent', ending: 'answer', usage: 'sound' } as const;

describe.concurrent('replay', () => {
  let token: string;

  beforeAll(async () => {
    const { stdout } = await cli('certify', fixture('host-loser.ts'), '--only', 'host.reaches-sub-agents', '--cases', '60', '--json');
    token = (JSON.parse(stdout) as Certificate).verdicts[0]?.token as string;
  });

  test('tells a case that is violated again, and exits with 1', async () => {
    const { code, stdout } = await cli('replay', token);
    expect(stdout).toContain('✗ host.reaches-sub-agents MUST');
    expect(stdout).toContain('host-loser 1.0.0 violates host.reaches-sub-agents in this case.');
    expect(code).toBe(1);
  });

  test('exits with 0 when another runtime keeps the requirement', async () => {
    const { code, stdout } = await cli('replay', token, '--adapter', fixture('tiny'));
    expect(stdout).toBe('tiny 1.0.0 keeps host.reaches-sub-agents in this case.\n');
    expect(code).toBe(0);
  });

  test('exits with 2 when the same case comes out differently', async () => {
    const { code, stdout } = await cli('replay', token, '--adapter', fixture('wavers.ts'), '--json');
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'nondeterministic' });
    expect(code).toBe(2);
  });

  test('exits with 2 when the case does not put the requirement to the test', async () => {
    const other = encodeToken({
      requirement: 'host.is-opaque',
      adapter: fixture('tiny'),
      scenario: { runs: [{ ...agent, agent: 'planner', turns: [] }], host: 'record', built: false, schedule: [] },
    });
    const { code, stdout } = await cli('replay', other);
    expect(stdout).toContain('does not put host.is-opaque to the test');
    expect(code).toBe(2);
  });

  test('exits with 3 when the case ends its process', async () => {
    const { code, stdout } = await cli('replay', token, '--adapter', fixture('exits-at-once.ts'));
    expect(stdout).toBe('host.reaches-sub-agents could not be judged on exits-at-once 1.0.0. The process exited with code 7.\n');
    expect(code).toBe(3);
  });

  test('gives the whole trace as JSON, also without a process of its own', async () => {
    for (const isolation of [[], ['--no-isolate']]) {
      const { stdout } = await cli('replay', token, '--json', ...isolation);
      expect(JSON.parse(stdout)).toMatchObject({
        verdict: 'violated',
        runtime: { name: 'host-loser' },
        trace: expect.arrayContaining([expect.objectContaining({ kind: 'probe-called' })]),
      });
    }
  });

  test('asks for an adapter when the token names none', async () => {
    const homeless = encodeToken({
      requirement: 'host.is-opaque',
      adapter: '',
      scenario: { runs: [{ ...agent, agent: 'planner', turns: [] }], host: 'record', built: false, schedule: [] },
    });
    expect(await cli('replay', homeless)).toMatchObject({ code: 3, stderr: expect.stringContaining('--adapter') });
  });

  test('names the nearest requirement when the token is about one that is not there', async () => {
    const old = encodeToken({
      requirement: 'host.is-opake',
      adapter: 'x',
      scenario: { runs: [{ ...agent, agent: 'planner', turns: [] }], host: 'record', built: false, schedule: [] },
    });
    expect(await cli('replay', old)).toMatchObject({ code: 3, stderr: expect.stringContaining('"host.is-opaque"') });
  });
});
