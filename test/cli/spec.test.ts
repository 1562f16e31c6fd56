import { describe, expect, test } from 'vitest';
import { chapters } from '../../spec/index.ts';
import { cli, fixture } from '../fixtures/run-cli.ts';

describe.concurrent('spec', () => {
  test('lists every requirement of every chapter, in 80 columns', async () => {
    const { code, stdout } = await cli('spec');
    for (const { requirements } of chapters) for (const { id } of requirements) expect(stdout).toContain(id);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(code).toBe(0);
  });

  test('shows a requirement with its formula and what breaks it', async () => {
    const { stdout } = await cli('spec', 'fork.merge-goes-by-index');
    for (const title of ['Why', 'Source', 'Needs', 'What to check', 'Comes up when', 'Formula', 'Mutants']) expect(stdout).toContain(`\n  ${title}\n`);
    expect(stdout).toContain('(scenario, trace) =>');
    expect(stdout).toMatch(/ {4}- merges branches/);
  });

  test('shows a whole chapter', async () => {
    const { stdout } = await cli('spec', 'usage');
    expect(stdout).toMatch(/^USAGE\n/);
    expect(stdout.match(/\n {2}Formula\n/g)).toHaveLength(chapters.find(({ name }) => name === 'usage')?.requirements.length as number);
  });

  test('gives all of it as data', async () => {
    const all = JSON.parse((await cli('spec', '--json')).stdout) as { name: string; requirements: { id: string; mutants: string[] }[] }[];
    expect(all.map(({ name }) => name)).toEqual(chapters.map(({ name }) => name));
    expect(all.flatMap(({ requirements }) => requirements).filter(({ mutants }) => mutants.length === 0)).toEqual([]);
    expect(JSON.parse((await cli('spec', 'host.is-opaque', '--json')).stdout)).toMatchObject({ id: 'host.is-opaque', level: 'MUST' });
  });
});

describe.concurrent('mutants', () => {
  test('reports every mutant of a requirement as killed', async () => {
    const { code, stdout } = await cli('mutants', 'fork.merge-goes-by-index');
    expect(stdout).toMatch(/\d+ of \d+ mutants killed, for 1 requirement\./);
    expect(code).toBe(0);
  });

  test('prints the kill matrix and nothing else with --json', async () => {
    const { code, stdout } = await cli('mutants', 'host.reaches-sub-agents', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ requirements: 1, survivors: [], stray: [] });
    expect(code).toBe(0);
  });

  test('exits with 1 when a mutant survives', async () => {
    const { code, stdout } = await cli('mutants', 'fork.merge-goes-by-index', '--adapter', fixture('stubborn.ts'), '--cases', '3');
    expect(stdout).toContain('survived  fork.merge-goes-by-index: ');
    expect(stdout).toMatch(/0 of \d+ mutants killed/);
    expect(code).toBe(1);
  });
});

describe.concurrent('help', () => {
  test.each([['--help'], ['certify', '--help'], ['replay', '-h']])('%s %s', async (...args) => {
    const { code, stdout, stderr } = await cli(...args);
    expect(stdout).toMatch(/^Usage: /);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('tells the exit codes and the version', async () => {
    expect((await cli('--help')).stdout).toContain('Exit codes:');
    expect(await cli('--version')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });
});
