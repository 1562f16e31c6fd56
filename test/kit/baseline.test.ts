import { describe, expect, test } from 'vitest';
import { compare, parseBaseline } from '../../conformance/baseline.ts';
import { type RequirementVerdict, summarize, type Verdict } from '../../conformance/certificate.ts';
import { exitCodeOf } from '../../conformance/cli/exit-code.ts';

const IDS = ['host.is-opaque', 'fork.no-update-is-lost', 'usage.own-is-own'];

function listing(...violations: readonly unknown[]): string {
  return JSON.stringify({ violations });
}

function verdict(id: string, its: Verdict, level: 'MUST' | 'SHOULD' = 'MUST'): RequirementVerdict {
  return { id, level, chapter: id.slice(0, id.indexOf('.')), verdict: its, exercised: 9, cases: 9 };
}

/** The exit code of a certificate with these verdicts, seen against a baseline of these ids. */
function codeFor(verdicts: readonly RequirementVerdict[], ...ids: readonly string[]): number {
  return exitCodeOf({ verdicts, summary: summarize(verdicts) }, compare({ verdicts }, { violations: ids.map((id) => ({ id, reason: 'known' })) }));
}

describe('parseBaseline', () => {
  test('reads ids with their reasons', () => {
    const entry = { id: 'host.is-opaque', reason: 'it is copied on purpose' };
    expect(parseBaseline(listing(entry), 'b.json', IDS).violations).toEqual([entry]);
  });

  test.each<[what: string, text: string, says: string]>([
    ['text that is no JSON', '{', 'b.json is not JSON'],
    ['another root', '[]', 'b.json: the whole is malformed'],
    ['a list that is missing', '{}', 'b.json: violations is malformed'],
    ['an entry without a reason', listing({ id: 'host.is-opaque' }), 'b.json: violations[0].reason is malformed'],
    ['an empty reason', listing({ id: 'host.is-opaque', reason: ' ' }), 'b.json: violations[0].reason is malformed'],
    ['a field that is not known', listing({ id: 'host.is-opaque', reason: 'x', until: 'May' }), 'until'],
    ['an unknown id', listing({ id: 'host.is-opake', reason: 'x' }), 'Did you mean "host.is-opaque"'],
    [
      'an id that is listed twice',
      listing({ id: 'host.is-opaque', reason: 'x' }, { id: 'host.is-opaque', reason: 'y' }),
      'violations[1].id is "host.is-opaque", which is already listed',
    ],
  ])('names the field of %s', (_, text, says) => {
    expect(() => parseBaseline(text, 'b.json', IDS)).toThrow(expect.objectContaining({ code: 'usage', message: expect.stringContaining(says) }));
  });
});

describe('the exit code', () => {
  const holds = verdict('usage.own-is-own', 'holds');

  test.each<[what: string, code: number, verdicts: readonly RequirementVerdict[], baseline: readonly string[]]>([
    ['0 when all hold', 0, [holds], []],
    ['0 when a SHOULD is inconclusive', 0, [holds, verdict('host.is-opaque', 'inconclusive', 'SHOULD')], []],
    ['0 when all violations are known', 0, [holds, verdict('host.is-opaque', 'violated')], ['host.is-opaque']],
    ['1 when a MUST is violated', 1, [holds, verdict('host.is-opaque', 'violated')], []],
    ['1 when a SHOULD is violated', 1, [holds, verdict('host.is-opaque', 'violated', 'SHOULD')], []],
    ['1 when a violation is not the known one', 1, [holds, verdict('host.is-opaque', 'violated')], ['usage.own-is-own']],
    ['1 when a known violation is gone', 1, [holds], ['usage.own-is-own']],
    ['1 when a known violation does not apply any more', 1, [holds, verdict('host.is-opaque', 'inapplicable')], ['host.is-opaque']],
    ['1 rather than 3 when one is violated and another faulted', 1, [verdict('usage.own-is-own', 'faulted'), verdict('host.is-opaque', 'violated')], []],
    ['2 when a MUST is inconclusive', 2, [holds, verdict('host.is-opaque', 'inconclusive')], []],
    ['2 when a MUST is inconclusive, also a known violation', 2, [holds, verdict('host.is-opaque', 'inconclusive')], ['host.is-opaque']],
    ['2 when one is nondeterministic', 2, [holds, verdict('host.is-opaque', 'nondeterministic', 'SHOULD')], []],
    ['2 when nothing was judged', 2, [verdict('host.is-opaque', 'inapplicable')], []],
    ['3 when one is faulted, whatever the baseline says', 3, [holds, verdict('host.is-opaque', 'faulted')], ['host.is-opaque']],
    ['3 rather than 2', 3, [verdict('host.is-opaque', 'inconclusive'), verdict('usage.own-is-own', 'faulted')], []],
  ])('is %s', (_, code, verdicts, baseline) => {
    expect(codeFor(verdicts, ...baseline)).toBe(code);
  });
});
