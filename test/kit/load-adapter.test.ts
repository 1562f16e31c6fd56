import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defineAdapter } from '../../conformance/define-adapter.ts';
import { loadAdapter, portablePath } from '../../conformance/load-adapter.ts';
import { CAPABILITIES } from '../../spec/model/capability.ts';
import type { Adapter } from '../../spec/model/ports.ts';
import { ROOT } from '../fixtures/run-cli.ts';
import { tiny } from '../fixtures/tiny-runtime.ts';

const home = mkdtempSync(join(tmpdir(), 'tck-load-'));
const nothing = Object.fromEntries(Object.keys(CAPABILITIES).map((name) => [name, 'no']));
const adapter = `{ name: 'here', version: '1', delegation: () => {}, capabilities: ${JSON.stringify(nothing)} }`;

function write(path: string, text: string): void {
  mkdirSync(join(home, path, '..'), { recursive: true });
  writeFileSync(join(home, path), text);
}

const refused = (says: string): unknown => expect.objectContaining({ code: 'usage', message: expect.stringContaining(says) });

describe('loadAdapter', () => {
  test.each([
    ['a directory', 'test/fixtures/tiny', 'tiny'],
    ['a TypeScript file', './test/fixtures/tiny/index.ts', 'tiny'],
    ['an absolute path', join(ROOT, 'test/fixtures/tiny'), 'tiny'],
    ['an export by name', 'test/fixtures/noisy.ts', 'noisy'],
  ])('finds %s', async (_, given, name) => {
    expect(await loadAdapter(given, ROOT)).toMatchObject({ name });
  });

  test('finds a package that the working directory can import, also one for `import` only', async () => {
    write('node_modules/my-runtime/package.json', JSON.stringify({ name: 'my-runtime', type: 'module', exports: { './adapter': { import: './adapter.js' } } }));
    write('node_modules/my-runtime/adapter.js', `export default ${adapter}`);
    expect(await loadAdapter('my-runtime/adapter', home)).toMatchObject({ name: 'here' });
    await expect(loadAdapter('my-runtime/nothing', home)).rejects.toEqual(refused('no file, directory or package "my-runtime/nothing"'));
  });

  test('finds an adapter in a CommonJS module', async () => {
    write('adapter.cjs', `module.exports = ${adapter}`);
    expect(await loadAdapter('./adapter.cjs', home)).toMatchObject({ name: 'here' });
  });

  test('does not blame the path for an import that fails inside of the module', async () => {
    write('broken.mjs', `import 'not-installed'`);
    await expect(loadAdapter('./broken.mjs', home)).rejects.toEqual(refused("./broken.mjs threw while it was imported: Cannot find package 'not-installed'"));
  });

  test('names a portable path relative to the working directory, unless it lies outside', () => {
    expect(portablePath(join(ROOT, 'adapters/reference'), ROOT)).toBe('./adapters/reference');
    expect(portablePath(join(home, 'x.ts'), ROOT)).toBe(join(home, 'x.ts'));
    expect(portablePath('adapters/reference', ROOT)).toBe('adapters/reference');
  });
});

describe('defineAdapter', () => {
  const correct = tiny('correct');
  const { usage: _, ...withoutUsage } = correct.capabilities;

  test('gives back what it was given', () => {
    expect(defineAdapter(correct)).toBe(correct);
  });

  test.each<[what: string, given: unknown, says: string]>([
    ['nothing', undefined, 'The adapter is missing'],
    ['a list', [], 'The adapter is an array'],
    ['no name', { ...correct, name: '' }, 'field "name" is ""'],
    ['a number as version', { ...correct, version: 2 }, 'field "version" is 2'],
    ['no capabilities', { ...correct, capabilities: null }, 'field "capabilities" is null'],
    ['a capability that is left out', { ...correct, capabilities: withoutUsage }, 'field "capabilities.usage" is missing'],
    ['a capability that is denied without a reason', { ...correct, capabilities: { ...correct.capabilities, deps: '' } }, 'field "capabilities.deps" is ""'],
    ['a capability that does not exist', { ...correct, capabilities: { ...correct.capabilities, hosts: true } }, 'Did you mean "host"'],
    ['a port that is no function', { ...correct, delegation: {} }, 'field "delegation" is an object'],
  ])('names the field of %s', (_what, given, says) => {
    expect(() => defineAdapter(given as Adapter)).toThrow(refused(says) as Error);
  });
});
