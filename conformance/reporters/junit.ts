import junit, { type Builder } from 'junit-report-builder';
import type { RequirementVerdict } from '../certificate.ts';
import { renderStory, type Story } from '../story.ts';
import { byChapter } from './by-chapter.ts';
import type { Report } from './report.ts';

// Its types promise a `default` in the module; Node gives the builder itself.
const builder = junit as unknown as Builder;

type Suite = ReturnType<Builder['testSuite']>;

/** The verdicts as JUnit XML: a suite for each chapter, a test case for each requirement. */
export function renderJunit({ certificate, stories, compared }: Report): string {
  const report = builder.newBuilder();
  const { runtime, seed, kit, spec } = certificate;
  for (const [chapter, verdicts] of byChapter(certificate.verdicts)) {
    const suite = report.testSuite().name(chapter).timestamp(certificate.startedAt);
    suite.property('runtime', `${runtime.name} ${runtime.version}`).property('seed', String(seed)).property('kit', kit).property('spec', spec);
    for (const verdict of verdicts) {
      const known = compared.known.find(({ id }) => id === verdict.id);
      addCase(
        suite,
        `${runtime.name}.${chapter}`,
        verdict,
        known?.reason,
        stories.find(({ id }) => id === verdict.id),
      );
    }
    for (const { id, reason } of compared.stale.filter((entry) => entry.id.startsWith(`${chapter}.`))) {
      suite
        .testCase()
        .className(`${runtime.name}.${chapter}`)
        .name(`${id} (baseline)`)
        .failure(printable(`The baseline lists it (${reason}), but it is no longer violated. Take it off the list.`), 'stale');
    }
  }
  return `${report.build()}\n`;
}

/** A known violation is skipped with its reason, as are requirements that do not apply. */
function addCase(suite: Suite, className: string, { id, verdict, because = '' }: RequirementVerdict, known: string | undefined, story: Story | undefined): void {
  const test = suite.testCase().className(className).name(id);
  const why = printable(because);
  switch (verdict) {
    case 'holds':
      break;
    case 'inapplicable':
      test.skipped().standardOutput(why);
      break;
    case 'violated':
      if (known === undefined) test.failure(why, verdict).stacktrace(printable(story ? renderStory(story) : because));
      else test.skipped().standardOutput(printable(`Known violation: ${known}. ${because}`));
      break;
    case 'inconclusive':
    case 'nondeterministic':
      test.failure(why, verdict);
      break;
    case 'faulted':
      test.error(why, verdict);
  }
}

/** Leaves out what XML cannot hold. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML 1.0 forbids.
  return text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '�');
}
