import { execFile, type ExecFileException } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const { version } = manifest;
const repository = join(import.meta.dirname, '../..');
let project: string;
let packed: { files: readonly { path: string }[]; unpackedSize: number; filename: string };

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end, as from a shell that knows nothing of this test run, with the Node that runs the test. */
function run(cwd: string, command: string, ...args: readonly string[]): Promise<Ended> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_(registry|cache|userconfig)$)|INIT_CWD$|NODE_V8_COVERAGE$|NODE_OPTIONS$|VITEST|FORCE_COLOR$)/i.test(name),
  );
  const env = { ...Object.fromEntries(inherited), PATH: [dirname(process.execPath), process.env.PATH].join(delimiter), NO_COLOR: '1', CI: 'true' };
  return new Promise((resolve) => {
    const child = execFile(command, args, { cwd, env, maxBuffer: 2 ** 26 }, (error: ExecFileException | null, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

async function succeeds(cwd: string, command: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(cwd, command, ...args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}.\n${stdout}\n${stderr}`);
  return stdout;
}

/** Makes packages of the repository available to the project, as if they had been installed there too. */
async function borrow(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const place = join(project, 'node_modules', name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(join(repository, 'node_modules', name), place, 'dir');
  }
}

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'delegation-tck-'));
  [packed] = JSON.parse(await succeeds(repository, 'npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', project));
  await cp(join(import.meta.dirname, 'project'), project, { recursive: true });
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'somebody-elses', private: true, type: 'module' }));
  await succeeds(project, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', `./${packed.filename}`);
}, 120_000);

afterAll(() => rm(project, { recursive: true, force: true }));

// Breaks when `files` lets sources or debris in, or the build was not run.
test('the package holds what is built, its manifest, README and licence, and little else', () => {
  const strange = packed.files.map(({ path }) => path).filter((path) => !/^(dist\/.+\.(js|d\.ts)|package\.json|README\.md|LICENSE)$/.test(path));
  expect(strange).toEqual([]);
  expect(packed.files.map(({ path }) => path)).toEqual(expect.arrayContaining(['dist/cli.js', 'dist/index.d.ts', 'LICENSE', 'README.md']));
  expect(packed.unpackedSize).toBeLessThan(1_000_000);
});

// Breaks when an entry is bundled apart from the others: two copies of a module are two identities of everything in it.
test('every source file is in the package once', async () => {
  const dist = join(project, 'node_modules/delegation-tck/dist');
  const scripts = (await readdir(dist, { recursive: true })).filter((path) => path.endsWith('.js'));
  const codes = await Promise.all(scripts.map((path) => readFile(join(dist, path), 'utf8')));
  // The build writes the path of a source file over each part that it takes from it.
  const sources = codes.flatMap((code) => [...new Set(code.match(/^\/\/ \S+\.(ts|json)$/gm))]);
  expect(sources).toContain('// spec/host.ts');
  expect(sources.filter((source, index) => sources.indexOf(source) !== index)).toEqual([]);
});

// Breaks when a dependency is missing from the manifest: only what the package itself asked for is installed here.
test('the command runs from the project', async () => {
  expect(await succeeds(project, 'npx', 'delegation-tck', '--help')).toContain('certify');
  expect((await succeeds(project, 'npx', 'delegation-tck', '--version')).trim()).toBe(version);
});

// Breaks when the build renames, minifies or decorates functions.
test('the printed specification shows its formulas as a person would read them', async () => {
  const page = await succeeds(project, 'npx', 'delegation-tck', 'spec', 'host.is-opaque');
  expect(page).toMatch(/const \[touch\] = seen\(trace, ["']host-touched["']\)/);
  expect(page).not.toMatch(/void 0|__name/);
});

// Breaks when the kit cannot load TypeScript from disk, or the adapter and the command see two copies of the kit.
test('an adapter in TypeScript is certified straight from disk', async () => {
  const { code, stdout, stderr } = await run(project, 'npx', 'delegation-tck', 'certify', './my-adapter.ts', '--cases', '40', '--json');
  expect(code, stderr).toBeLessThanOrEqual(2);
  const certificate = JSON.parse(stdout);
  expect(certificate).toMatchObject({ kit: version, runtime: { name: 'bare-loop', version: '1.0.0' }, summary: { faulted: 0 } });
  expect(certificate.summary.holds).toBeGreaterThan(0);
});

// Breaks when the command looks for the reference where only the repository has it.
test('the kit proves from the package that it can fail', async () => {
  const matrix = JSON.parse(await succeeds(project, 'npx', 'delegation-tck', 'mutants', 'host.is-opaque', '--json'));
  expect(matrix).toMatchObject({ requirements: 1, survivors: [], stray: [] });
  expect(matrix.killed).toBeGreaterThan(0);
});

// Breaks when an entry needs an optional peer without saying so.
test('every entry but two does without the optional peers', async () => {
  expect(JSON.parse(await succeeds(project, 'node', 'imports.ts'))).toEqual({ runner: 'object', known: true, kit: version, version, runtimes: ['reference', 'bare-loop'] });
  for (const [entry, peer] of [
    ['vitest', 'vitest'],
    ['adapters/ai-sdk', 'ai'],
  ] as const) {
    const { stderr } = await run(project, 'node', '--input-type=module', '--eval', `await import('delegation-tck/${entry}')`);
    expect(stderr).toContain(`Cannot find package '${peer}'`);
  }
});

/** What the compiler has to say, also about declarations (other packages' apart). */
async function complaints(...args: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await run(project, join(repository, 'node_modules/.bin/tsc'), '--pretty', 'false', ...args);
  return stdout.split('\n').filter((line) => line.includes('error TS') && !/^node_modules\/(?!delegation-tck\/)/.test(line));
}

// Breaks when a declaration file does not resolve, or names a type that it does not import.
test('the declarations compile in a strict project', async () => {
  await borrow('@types/node', 'undici-types');
  expect(await complaints('--project', '.')).toEqual([]);
});

// Breaks when the kit brings its own copy of a peer.
test('with the peers installed, the other two work: the reference is certified inside a test suite', async () => {
  await borrow('ai', '@ai-sdk/otel', '@opentelemetry/api', '@opentelemetry/sdk-trace-base', '@opentelemetry/context-async-hooks', 'vitest', 'vite');
  expect(await complaints('--project', 'tsconfig.peers.json')).toEqual([]);
  await succeeds(project, 'node', 'node_modules/vitest/vitest.mjs', 'run', 'peers.test.ts', '--reporter=json', '--outputFile=report.json');
  const report = JSON.parse(await readFile(join(project, 'report.json'), 'utf8'));
  expect(report).toMatchObject({ success: true, numFailedTests: 0 });
  expect(report.numPassedTests).toBeGreaterThan(20);
});
