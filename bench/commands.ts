import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Measured } from './measured.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** How long people wait for a command: for all of it, or for the first chapter. The built one where it exists. */
export async function measureCommands(): Promise<readonly Measured[]> {
  const certify = await run('conformance/cli.ts', 'certify', 'adapters/reference');
  const measured: Measured[] = [
    { name: 'certify the reference', value: certify.seconds, bar: 25, unit: 's' },
    { name: "its first chapter's verdict", value: certify.firstChapter, bar: 3, unit: 's' },
  ];
  if (!existsSync(`${root}/dist/cli.js`)) return measured;
  return [
    ...measured,
    { name: 'built --help', value: (await run('dist/cli.js', '--help')).seconds, bar: 0.4, unit: 's' },
    { name: 'built spec', value: (await run('dist/cli.js', 'spec')).seconds, bar: 0.8, unit: 's' },
  ];
}

/** Runs the command line, and times it until it is over, and until its progress first tells a chapter's verdicts. */
function run(...words: readonly string[]): Promise<{ seconds: number; firstChapter: number }> {
  const start = performance.now();
  const since = (): number => (performance.now() - start) / 1000;
  let firstChapter = Number.POSITIVE_INFINITY;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.on('data', (chunk: Buffer) => {
      if (/^host: /m.test(String(chunk))) firstChapter = Math.min(firstChapter, since());
    });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve({ seconds: since(), firstChapter }) : reject(new Error(`${words.join(' ')} ended with exit code ${code}`))));
  });
}
