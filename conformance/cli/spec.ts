import { chapters } from '../../spec/index.ts';
import type { Chapter, Requirement } from '../../spec/model/requirement.ts';
import { hang } from '../telling/wrap.ts';
import { colours } from './colour.ts';
import { sourceOf } from './formula.ts';
import { unknown } from './nearest.ts';
import { allIds } from './selection.ts';

const all: readonly Chapter[] = chapters;

/** Prints all chapters, one chapter, or one requirement. @throws UsageError when there is no such thing. */
export async function printSpec(what: string | undefined, json: boolean): Promise<void> {
  const chapter = all.find(({ name }) => name === what);
  const requirement = all.flatMap(({ requirements }) => requirements).find(({ id }) => id === what);
  if (what !== undefined && !chapter && !requirement)
    throw what.includes('.') ? unknown('requirement', what, allIds) : unknown('chapter or requirement', what, [...all.map(({ name }) => name), ...allIds]);
  if (json) console.log(JSON.stringify(requirement ? await asData(requirement) : await Promise.all((chapter ? [chapter] : all).map(chapterAsData)), null, 2));
  else if (requirement) console.log((await inFull(requirement)).join('\n'));
  else console.log((chapter ? await chapterInFull(chapter) : overview()).join('\n'));
}

function overview(): readonly string[] {
  const chapterLines = all.flatMap((chapter) => [...heading(chapter), ...chapter.requirements.flatMap(brief), '']);
  const count = all.reduce((sum, { requirements }) => sum + requirements.length, 0);
  return [...chapterLines, colours.dim(`${count} requirements in ${all.length} chapters. \`delegation-tck spec <id>\` shows a formula.`)];
}

async function chapterInFull(chapter: Chapter): Promise<readonly string[]> {
  const requirements = await Promise.all(chapter.requirements.map(inFull));
  return [...heading(chapter), ...requirements.flatMap((lines) => [...lines, ''])];
}

function heading({ name, about }: Chapter): readonly string[] {
  return [colours.bold(name.toUpperCase()), ...hang('', about), ''];
}

function brief({ id, level, text }: Requirement): readonly string[] {
  return [`  ${colours.bold(id)} ${colours.dim(level)}`, ...hang('    ', text)];
}

async function inFull(requirement: Requirement): Promise<readonly string[]> {
  const { id, level, text, why, source, needs, check, when, judge } = requirement;
  const part = (title: string, lines: readonly string[]): readonly string[] => ['', `  ${colours.cyan(title)}`, ...lines];
  const mutants = await mutantsOf(id);
  return [
    `${colours.bold(id)} ${colours.dim(level)}`,
    ...hang('  ', text),
    ...part('Why', hang('    ', why)),
    ...part('Source', hang('    ', source)),
    ...part('Needs', [`    ${needs.join(', ') || 'nothing but delegation'}`]),
    ...part('What to check', hang('    ', check)),
    ...part('Comes up when', indented(sourceOf(when))),
    ...part('Formula', indented(sourceOf(judge))),
    ...part('Mutants', mutants.length > 0 ? mutants.flatMap((what) => hang('    - ', what)) : ['    none']),
  ];
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `    ${line}`);
}

async function chapterAsData({ name, profile, about, requirements }: Chapter): Promise<object> {
  return { name, profile, about, requirements: await Promise.all(requirements.map(asData)) };
}

async function asData({ id, level, text, why, source, needs, check, when, judge }: Requirement): Promise<object> {
  return { id, level, text, why, source, needs, check, when: sourceOf(when).join('\n'), judge: sourceOf(judge).join('\n'), mutants: await mutantsOf(id) };
}

/** What is done to the reference to show that a requirement can fail. */
async function mutantsOf(id: string): Promise<readonly string[]> {
  const { mutants } = await import('../mutants/index.ts');
  return (mutants as Readonly<Record<string, readonly { readonly what: string }[]>>)[id]?.map(({ what }) => what) ?? [];
}
