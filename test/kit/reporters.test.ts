import { describe, expect, test } from 'vitest';
import { compare, NO_BASELINE } from '../../conformance/baseline.ts';
import { type Certificate, isCertified, type RequirementVerdict, summarize } from '../../conformance/certificate.ts';
import { progressReporter } from '../../conformance/reporters/progress.ts';
import { render, type Report } from '../../conformance/reporters/report.ts';
import type { Story } from '../../conformance/story.ts';

const base = { level: 'MUST', exercised: 40, cases: 50, interleavings: 12 } as const;

/** One verdict of each kind. */
const VERDICTS: readonly RequirementVerdict[] = [
  { ...base, id: 'host.is-opaque', chapter: 'host', verdict: 'holds' },
  { ...base, id: 'host.reaches-sub-agents', chapter: 'host', verdict: 'violated', because: 'r0/0.0:0.0 was handed no host value', token: 'TOKEN-1' },
  { ...base, id: 'host.deps-reach-sub-agents', chapter: 'host', verdict: 'inapplicable', because: 'deps is declared absent: none', exercised: 0 },
  { ...base, id: 'fork.no-update-is-lost', chapter: 'fork', verdict: 'inconclusive', because: 'The situation came up 2 times in 50 cases; it takes 5.' },
  { ...base, id: 'fork.merge-goes-by-index', chapter: 'fork', verdict: 'nondeterministic', because: 'It was broken once.', token: 'TOKEN-2' },
  { ...base, id: 'usage.own-is-own', chapter: 'usage', level: 'SHOULD', verdict: 'faulted', because: 'The process exited with code 7 & <died>.', token: 'TOKEN-3' },
];

const STORY: Story = {
  id: 'host.reaches-sub-agents',
  level: 'MUST',
  text: "A sub-agent's tool calls MUST be handed the very host value.",
  why: 'It works for the wrong tenant.',
  instead: 'r0/0.0:0.0 was handed no host value',
  check: 'Is it passed on?',
  steps: [{ kind: 'step', text: 'the tool says \u0000\u001B[31m', offending: true }],
  program: ['planner { ask writer { call a tool } }'],
  token: 'TOKEN-1',
};

function report(verdicts: readonly RequirementVerdict[] = VERDICTS, more: Partial<Report> = {}): Report {
  const certificate: Certificate = {
    kit: '0.1.0',
    spec: 'digest',
    node: 'v22.18.0',
    runtime: { name: 'tiny', version: '1.0.0' },
    profile: 'in-process',
    seed: 7,
    cases: 50,
    startedAt: '2026-07-01T00:00:00.000Z',
    absent: [{ capability: 'deps', reason: 'none' }],
    notices: ['The adapter declares usage absent, but it was seen.'],
    verdicts,
    summary: summarize(verdicts),
    certified: isCertified(verdicts),
  };
  return { certificate, stories: verdicts.some(({ verdict }) => verdict === 'violated') ? [STORY] : [], compared: compare(certificate, NO_BASELINE), ...more };
}

const known = { id: 'host.reaches-sub-agents', reason: 'fixed in 2.0' };
const plain = { colour: false };

describe('the console', () => {
  const text = render('console', report(), plain);

  test('tables fit 80 columns', () => {
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('has each chapter with its verdicts, their counts and a tally', () => {
    expect(text).toMatch(/^violated {4}reaches-sub-agents +40 +12$/m);
    expect(text).toMatch(/^faulted {5}own-is-own +SHOULD +40 +12$/m);
    expect(text).toMatch(/^ +1 holds, 1 violated, 1 inapplicable$/m);
  });

  test('has the story of a violation, and why others have no verdict, with the command to see it again', () => {
    expect(text).toContain('✗ host.reaches-sub-agents MUST');
    expect(text).toMatch(/fork\.merge-goes-by-index\n {2}nondeterministic: It was broken once\.\n {2}npx delegation-tck replay TOKEN-2/);
    expect(text).toMatch(/fork\.no-update-is-lost\n {2}inconclusive: The situation came up 2 times/);
  });

  test('says what is absent, what is worth knowing, and what it comes to', () => {
    expect(text).toContain('without deps: none');
    expect(text).toContain('Notice: The adapter declares usage absent');
    expect(text.trimEnd()).toMatch(/Not certified in-process: 1 violation\.$/);
  });

  test('shows a known violation by its reason instead of its story', () => {
    const its = report();
    const excused = render('console', { ...its, compared: compare(its.certificate, { violations: [known] }) }, plain);
    expect(excused).toMatch(/^known {7}reaches-sub-agents/m);
    expect(excused).toContain('fixed in 2.0');
    expect(excused).not.toContain('✗');
  });

  test('says once what many have in common', () => {
    const many = Array.from({ length: 9 }, (_, index): RequirementVerdict => ({ ...base, id: `host.n${index}`, chapter: 'host', verdict: 'faulted', because: 'It broke.' }));
    const said = render('console', report(many), plain);
    expect(said.match(/It broke\./g)).toHaveLength(1);
    expect(said).toContain('and 5 more');
  });

  test('is coloured only on demand', () => {
    expect(render('console', report(VERDICTS.slice(0, 1)), plain)).not.toContain('\u001B');
    expect(render('console', report(VERDICTS.slice(0, 1)), { colour: true })).toContain('\u001B[');
  });
});

test('json is the certificate and nothing else', () => {
  const its = report();
  expect(JSON.parse(render('json', its, plain))).toEqual(its.certificate);
});

describe('junit', () => {
  const xml = render('junit', report(), plain);

  test('has a suite for each chapter and a test case for each requirement', () => {
    expect(xml.match(/<testsuite /g)).toHaveLength(3);
    expect(xml.match(/<testcase /g)).toHaveLength(VERDICTS.length);
    expect(xml).toContain('<testcase classname="tiny.host" name="host.is-opaque"/>');
  });

  test('fails what is violated with its story, and what is not decided', () => {
    expect(xml).toMatch(/name="host\.reaches-sub-agents">\s*<failure message="r0\/0\.0:0\.0 was handed no host value" type="violated"><!\[CDATA\[✗ host\.reaches-sub-agents/);
    expect(xml).toContain('type="inconclusive"');
    expect(xml).toContain('type="nondeterministic"');
  });

  test('skips what does not apply, and has an error for what is faulted', () => {
    expect(xml).toMatch(/name="host\.deps-reach-sub-agents">\s*<skipped\/>/);
    expect(xml).toContain('<error message="The process exited with code 7 &amp; &lt;died>." type="faulted"');
    expect(xml).toContain('<testsuites tests="6" failures="3" errors="1" skipped="1">');
  });

  test('leaves out what XML cannot hold', () => {
    expect([...xml].filter((char) => char < ' ' && !'\n\r\t'.includes(char))).toEqual([]);
  });

  test('skips a known violation with its reason, and fails a stale entry', () => {
    const its = report();
    expect(render('junit', { ...its, compared: compare(its.certificate, { violations: [known] }) }, plain)).toContain('Known violation: fixed in 2.0.');
    const stale = render('junit', { ...its, compared: compare(its.certificate, { violations: [{ id: 'host.is-opaque', reason: 'old' }] }) }, plain);
    expect(stale).toMatch(/name="host\.is-opaque \(baseline\)">\s*<failure message="The baseline lists it \(old\)/);
  });
});

describe('progress', () => {
  /** Shows a short certification on a screen, and gives back what was written. */
  function shown(isTTY: boolean): string {
    let written = '';
    const { onProgress, end } = progressReporter({ isTTY, write: (text) => (written += text) }, ['host.is-opaque', 'host.reaches-sub-agents']);
    const [first, second] = VERDICTS as [RequirementVerdict, RequirementVerdict];
    for (const index of [0, 1]) onProgress({ kind: 'case', index, of: 2 });
    onProgress({ kind: 'verdict', verdict: first });
    onProgress({ kind: 'shrinking', id: 'host.reaches-sub-agents' });
    onProgress({ kind: 'verdict', verdict: second });
    onProgress({ kind: 'chapter', chapter: 'host', verdicts: [first, second] });
    end();
    return written;
  }

  test('is a quiet line for each chapter where nobody watches', () => {
    expect(shown(false)).toBe('enacting 2 cases\nhost: 1 holds, 1 violated\n');
  });

  test('is one line that changes on a terminal, with chapter and count', () => {
    const lines = shown(true).split('\r\u001B[2K');
    expect(lines).toContainEqual(expect.stringMatching(/^host .*case 2\/2/));
    expect(lines).toContainEqual(expect.stringMatching(/^host 2\/2 .*shrinking host\.reaches-sub-agents/));
    expect(lines.at(-1)).toBe('');
  });
});
