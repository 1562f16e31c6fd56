import { describe, expect, test } from 'vitest';
import { cli, fixture } from '../fixtures/run-cli.ts';

describe.concurrent('explain', () => {
  test('tells how often a requirement came up, in which kinds of scenario, with an example and what breaks it', async () => {
    const { code, stdout } = await cli('explain', 'fork.merge-goes-by-index');
    expect(stdout).toMatch(/\d+ cases could put it to the test; \d+ did, in \d+ different orders/);
    for (const title of ['How often it came up', 'In which kinds of scenario', 'For example', 'What breaks it']) expect(stdout).toContain(`\n  ${title}\n`);
    expect(stdout).toMatch(/a composite.*\d+ +\d+ +0\n/);
    expect(stdout).toMatch(/noticed after \d+/);
    expect(stdout.split('\n').filter((line) => line.length > 80 && !line.includes('replay'))).toEqual([]);
    expect(code).toBe(0);
  });

  test('gives the same as data', async () => {
    const explained = JSON.parse((await cli('explain', 'host.reaches-sub-agents', '--json', '--cases', '200')).stdout);
    expect(explained).toMatchObject({ id: 'host.reaches-sub-agents', level: 'MUST', example: { program: expect.any(Array), token: expect.any(String) } });
    const total = explained.shapes.reduce((sum: number, { exercised }: { exercised: number }) => sum + exercised, 0);
    expect(total).toBe(explained.exercised);
    expect(explained.mutants[0]).toEqual({ what: expect.any(String), killedAfter: expect.any(Number) });
  });

  test('says why a requirement is not put to a runtime that lacks what it takes', async () => {
    const { code, stdout } = await cli('explain', 'fork.merge-goes-by-index', '--adapter', fixture('host-loser.ts'));
    expect(stdout).toContain('host-loser declares scratchpad absent: tiny on purpose.');
    expect(code).toBe(0);
  });

  test('knows what was meant by an id that does not exist', async () => {
    const { code, stderr } = await cli('explain', 'fork.merge-by-index');
    expect(stderr).toContain('Did you mean "fork.merge-goes-by-index"?');
    expect(code).toBe(3);
  });
});
