import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Certificate } from '../conformance/certificate.ts';

const root = new URL('../', import.meta.url);
const readme = readFileSync(new URL('README.md', root), 'utf8');
const adapter = /```ts\n(import \{ defineAdapter[\s\S]*?)```/.exec(readme)?.[1] ?? '';

test('the adapter in the README is complete as it stands, and its runtime lacks what the README says', async () => {
  expect(adapter.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  mkdirSync(new URL('build/readme', root), { recursive: true });
  writeFileSync(new URL('build/readme/my-adapter.ts', root), adapter);
  const { stdout } = await promisify(execFile)(process.execPath, ['dist/cli.js', 'certify', './build/readme/my-adapter.ts', '--json'], { cwd: root }).catch(
    (error: { stdout: string }) => error,
  );
  const { verdicts, certified } = JSON.parse(stdout) as Certificate;
  expect(certified).toBe(false);
  expect(verdicts.filter(({ verdict }) => verdict !== 'holds' && verdict !== 'inapplicable').map(({ id, verdict }) => `${id} ${verdict}`)).toEqual([
    'recursion.default-limit-exists violated',
  ]);
});
