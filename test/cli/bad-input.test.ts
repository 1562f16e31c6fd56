import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cli, fixture } from '../fixtures/run-cli.ts';

const directory = mkdtempSync(join(tmpdir(), 'tck-bad-input-'));

/** Writes a file that is only there for one test. */
function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

const TINY = fixture('tiny');

const cases: readonly (readonly [what: string, args: readonly string[], says: RegExp])[] = [
  ['no command', [], /No command was given.*certify/],
  ['an unknown command', ['certfy'], /nknown command 'certfy'.*certify/],
  ['an unknown option', ['certify', TINY, '--casse', '3'], /nknown option '--casse'.*--cases/],
  ['too many arguments', ['certify', TINY, TINY], /[Tt]oo many arguments/],
  ['an option without its value', ['certify', TINY, '--cases'], /--cases.*missing/],
  ['no adapter', ['certify'], /No adapter was given/],
  ['a missing file', ['certify', './nowhere.ts'], /no file or directory "\.\/nowhere\.ts"/],
  ['a missing package', ['certify', 'no-such-package'], /no file, directory or package "no-such-package"/],
  ['a directory without an index', ['certify', 'docs'], /docs has no index\.ts/],
  ['a module without an adapter', ['certify', fixture('no-adapter.ts')], /exports no adapter, but runtime/],
  ['a module that throws', ['certify', fixture('throws-on-import.ts')], /threw while it was imported: no licence key/],
  ['a capability that is not claimed', ['certify', fixture('wrong-capability.ts')], /"capabilities\.usage" is false/],
  ['a capability that does not exist', ['certify', fixture('unknown-capability.ts')], /"capabilities\.scratchpads".*Did you mean "scratchpad"/],
  ['an adapter without a version', ['certify', fixture('no-version.ts')], /"version" is missing/],
  ['an unknown profile', ['certify', TINY, '--profile', 'process'], /no profile "process".*in-process/],
  ['an unknown chapter', ['certify', TINY, '--chapter', 'hots'], /no chapter "hots".*"host"/],
  ['an unknown id', ['certify', TINY, '--only', 'host.reaches-sub-agent'], /no requirement "host\.reaches-sub-agent".*"host\.reaches-sub-agents"/],
  ['no cases', ['certify', TINY, '--cases', '0'], /--cases was given "0"/],
  ['fewer than no cases', ['certify', TINY, '--cases', '-1'], /--cases was given "-1"/],
  ['half a case', ['certify', TINY, '--cases', '1.5'], /--cases was given "1\.5"/],
  ['too many cases', ['certify', TINY, '--cases', '1000001'], /--cases was given "1000001"/],
  ['cases in words', ['certify', TINY, '--cases', 'many'], /--cases was given "many"/],
  ['a seed of 33 bits', ['certify', TINY, '--seed', '4294967296'], /--seed was given "4294967296"/],
  ['a time budget without a unit that exists', ['certify', TINY, '--time-budget', '3h'], /--time-budget was given "3h"/],
  ['no time at all', ['certify', TINY, '--time-budget', '0'], /--time-budget was given "0"/],
  ['an unknown reporter', ['certify', TINY, '--reporter', 'jnuit'], /no reporter "jnuit".*"junit"/],
  ['two reports in one place', ['certify', TINY, '--reporter', 'json', '--reporter', 'junit'], /json and junit would both write to standard output/],
  ['two reports in one file', ['certify', TINY, '--reporter', 'json', '--out', 'a', '--reporter', 'junit', '--out', 'a'], /would both write to a\./],
  ['an --out of nobody', ['certify', TINY, '--out', 'x.json'], /--out x\.json has no reporter/],
  ['an --out that cannot be written', ['certify', TINY, '--reporter', 'json', '--out', 'no/such/directory/x.json'], /--out no\/such\/directory\/x\.json cannot be written/],
  ['a missing baseline', ['certify', TINY, '--baseline', 'nowhere.json'], /--baseline nowhere\.json cannot be read/],
  ['a baseline that is no JSON', ['certify', TINY, '--baseline', file('text.json', 'none')], /text\.json is not JSON/],
  ['a baseline of the wrong shape', ['certify', TINY, '--baseline', file('shape.json', '{"violations":[{"id":"host.is-opaque"}]}')], /shape\.json: violations\[0\]\.reason/],
  [
    'a baseline with an unknown id',
    ['certify', TINY, '--baseline', file('id.json', '{"violations":[{"id":"host.is-opake","reason":"x"}]}')],
    /"host\.is-opake".*"host\.is-opaque"/,
  ],
  ['no token', ['replay'], /Missing required argument 'token'/],
  ['a token cut short', ['replay', 'jZDLasMwEEX_5a7'], /token is malformed/],
  ['an unknown id of the spec', ['spec', 'fork.nothing'], /no requirement "fork\.nothing"/],
  ['an unknown chapter of the spec', ['spec', 'usgae'], /no chapter or requirement "usgae".*"usage"/],
  ['an unknown id of a mutant', ['mutants', 'host.is-opaqe'], /no requirement "host\.is-opaqe".*"host\.is-opaque"/],
  ['an adapter that cannot be mutated', ['mutants', 'host.is-opaque', '--adapter', TINY], /has no `withParts`/],
];

describe.concurrent('bad input is answered with one clear line and exit code 3', () => {
  test.each(cases)('%s', async (_, args, says) => {
    const { code, stdout, stderr } = await cli(...args);
    expect(stderr).toMatch(says);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  });

  test('a stack trace is shown on demand, with the cause', async () => {
    const { code, stderr } = await cli('certify', fixture('throws-on-import.ts'), '--debug');
    expect(stderr).toMatch(/Caused by: Error: no licence key\n\s+at .*throws-on-import\.ts/);
    expect(code).toBe(3);
  });

  test('a report that was there before is kept when the adapter cannot be loaded', async () => {
    const report = file('before.json', 'what was there before');
    await cli('certify', fixture('no-adapter.ts'), '--reporter', 'json', '--out', report);
    expect(readFileSync(report, 'utf8')).toBe('what was there before');
  });
});
