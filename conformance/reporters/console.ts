import pc from 'picocolors';
import { exitCodeOf } from '../cli/exit-code.ts';
import { allIds } from '../cli/selection.ts';
import type { Certificate, RequirementVerdict, Verdict } from '../certificate.ts';
import { renderStory, replayCommand } from '../story.ts';
import { hang } from '../telling/wrap.ts';
import { bareTable } from './bare-table.ts';
import { byChapter, tally } from './by-chapter.ts';
import type { Report } from './report.ts';

type Colours = ReturnType<typeof pc.createColors>;

/** What was certified, the verdicts by chapter (what does not apply is only counted), every violation as a story, and what it all comes to. */
export function renderConsole(report: Report, colour: boolean): string {
  const { certificate } = report;
  const c = pc.createColors(colour);
  return [
    ...header(certificate, c),
    ...[...byChapter(certificate.verdicts)].flatMap(([chapter, verdicts]) => chapterLines(chapter, verdicts, report, c)),
    ...violations(report, colour),
    ...undecided(certificate, c),
    ...known(report, c),
    ...certificate.notices.flatMap((notice) => hang('Notice: ', notice, '  ')),
    ...conclusion(report, c),
    '',
  ].join('\n');
}

function header({ runtime, seed, cases, profile, kit }: Certificate, c: Colours): readonly string[] {
  return [`${c.bold(`${runtime.name} ${runtime.version}`)} ${c.dim(`· ${profile} · ${cases} cases · seed ${seed} · kit ${kit}`)}`, ''];
}

function chapterLines(chapter: string, verdicts: readonly RequirementVerdict[], { compared }: Report, c: Colours): readonly string[] {
  const rows = verdicts.flatMap(({ id, level, verdict, exercised, interleavings }) => {
    const word = compared.known.some((entry) => entry.id === id) ? 'known' : SHORT[verdict];
    const figures = [String(exercised), interleavings === undefined ? '' : String(interleavings)];
    return verdict === 'inapplicable' ? [] : [[painted(word, verdict, c), id.slice(chapter.length + 1), level === 'MUST' ? '' : level, ...figures]];
  });
  const [head, ...lines] = bareTable({ ...COLUMNS, head: ['', chapter, '', 'exercised', 'orders'] }, rows) as [string, ...string[]];
  return [c.bold(head), ...lines, c.dim(`            ${tally(verdicts)}`), ''];
}

const COLUMNS = { widths: [12, 42, 7, 10, 8], aligns: ['left', 'left', 'left', 'right', 'right'] } as const;

/** Words that fit the column. */
const SHORT: Readonly<Record<Verdict, string>> = {
  holds: 'holds',
  violated: 'violated',
  inapplicable: '',
  inconclusive: 'undecided',
  nondeterministic: 'wavers',
  faulted: 'faulted',
};

function painted(word: string, verdict: Verdict, c: Colours): string {
  if (verdict === 'holds') return c.green(word);
  return verdict === 'violated' || verdict === 'faulted' ? c.red(word) : c.yellow(word);
}

function violations({ stories, compared }: Report, colour: boolean): readonly string[] {
  return stories.filter(({ id }) => !compared.known.some((entry) => entry.id === id)).flatMap((story) => [renderStory(story, colour), '']);
}

/** How many requirements are named that have the same trouble. */
const NAMED = 4;

/** The requirements without a verdict on the runtime, and why. What many have in common is said once. */
function undecided({ verdicts }: Certificate, c: Colours): readonly string[] {
  const open = verdicts.filter(({ verdict }) => verdict === 'inconclusive' || verdict === 'nondeterministic' || verdict === 'faulted');
  return [...Map.groupBy(open, ({ verdict, because }) => `${verdict}: ${because}`)].flatMap(([why, its]) => {
    const token = its.find((one) => one.token !== undefined)?.token;
    const more = its.length > NAMED ? [c.yellow(`and ${its.length - NAMED} more`)] : [];
    return [...its.slice(0, NAMED).map(({ id }) => c.yellow(id)), ...more, ...hang('  ', why), ...(token === undefined ? [] : [`  ${c.cyan(replayCommand(token))}`]), ''];
  });
}

function known({ compared }: Report, c: Colours): readonly string[] {
  const lines = [
    ...compared.known.flatMap(({ id, reason }) => [`${c.yellow('known')}  ${id}`, ...hang('       ', reason)]),
    ...compared.stale.flatMap(({ id }) => [`${c.red('stale')}  ${id}`, '       It is no longer violated: take it off the baseline.']),
  ];
  return lines.length === 0 ? [] : [...lines, ''];
}

function conclusion({ certificate, compared }: Report, c: Colours): readonly string[] {
  const { absent, profile, summary } = certificate;
  const reasons = absent.flatMap(({ capability, reason }) => hang(`without ${capability}: `, reason, '  '));
  const figures = {
    profile,
    without: absent.map(({ capability }) => capability),
    certified: certificate.certified,
    judged: certificate.verdicts.length,
    fresh: compared.fresh.length,
    known: compared.known.length,
    stale: compared.stale.length,
    summary,
  };
  const lines = hang('', WORDS[exitCodeOf(certificate, compared)](figures));
  return [...reasons.map(c.dim), ...(reasons.length > 0 ? [''] : []), ...lines.map(paint(certificate, compared, c))];
}

interface Figures {
  readonly profile: string;
  readonly without: readonly string[];
  readonly certified: boolean;
  readonly judged: number;
  readonly fresh: number;
  readonly known: number;
  readonly stale: number;
  readonly summary: Readonly<Record<Verdict, number>>;
}

/** What each exit code means, in words. */
const WORDS: Readonly<Record<0 | 1 | 2 | 3, (figures: Figures) => string>> = {
  0: ({ profile, without, certified, judged, known }) =>
    certified
      ? `Certified ${profile}${judged < allIds.length ? ` in the ${judged} of ${allIds.length} requirements that were asked for` : ''}${without.length > 0 ? `, without ${without.join(', ')}` : ''}.`
      : `Not certified ${profile}, but nothing beyond the baseline: ${count(known, 'known violation')}.`,
  1: ({ profile, fresh, known, stale }) =>
    `Not certified ${profile}: ${[count(fresh, 'violation'), ...(known > 0 ? [`${known} known`] : []), ...(stale > 0 ? [`${stale} stale in the baseline`] : [])].join(', ')}.`,
  2: ({ profile, summary }) =>
    `Not certified ${profile}: ${summary.inconclusive} inconclusive, ${summary.nondeterministic} nondeterministic, ${summary.inapplicable} inapplicable.`,
  3: ({ profile, summary }) => `Not certified ${profile}: ${summary.faulted} faulted. The adapter or the kit broke; this says nothing of the runtime.`,
};

function paint(certificate: Certificate, { fresh, stale }: Report['compared'], c: Colours): (line: string) => string {
  if (certificate.certified && fresh.length + stale.length === 0) return (line) => c.bold(c.green(line));
  return (line) => c.bold(fresh.length + stale.length > 0 ? c.red(line) : c.yellow(line));
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
