// Builds `dist` after an install in the repository, so that `npx delegation-tck` works there. Plain JavaScript: it must
// also run where no development dependency, and so no Node that reads TypeScript, is installed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const development = existsSync('node_modules/tsup');
// `npx` links the repository into its cache and prepares it once more; a build then would pull `dist` from under whoever uses it.
const linkedByNpx = process.env.npm_command === 'exec' && existsSync('dist/cli.js');

if (development && !linkedByNpx) {
  const { status } = spawnSync('npm', ['run', 'build'], { stdio: 'inherit', shell: process.platform === 'win32' });
  process.exitCode = status ?? 1;
}
