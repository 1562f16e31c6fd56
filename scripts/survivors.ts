/** What is needed here of the report that Stryker writes: `mutation-testing-report-schema`. */
export interface MutationReport {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly MutantResult[] }>>;
}

interface MutantResult {
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly status: string;
  readonly location: { readonly start: Position; readonly end: Position };
}

/** Counts from 1. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/** A mutant that the specification did not notice. */
export interface Survivor {
  readonly file: string;
  readonly line: number;
  readonly mutator: string;
  /** What is changed and where, in words that stay when lines move: the cell of a table. */
  readonly change: string;
}

const KILLED = ['Killed', 'Timeout'];
const SURVIVED = ['Survived', 'NoCoverage'];
/** Longer snippets are cut. */
const LONGEST = 100;

/** How many mutants were killed. */
export function killedIn({ files }: MutationReport): number {
  return Object.values(files).flatMap(({ mutants }) => mutants.filter(({ status }) => KILLED.includes(status))).length;
}

/** The survivors, in the order of the source. */
export function survivorsIn({ files }: MutationReport): readonly Survivor[] {
  return Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants
      .filter(({ status }) => SURVIVED.includes(status))
      .map((mutant) => ({ file, line: mutant.location.start.line, mutator: mutant.mutatorName, change: changeOf(mutant, source) }))
      .sort((a, b) => a.line - b.line),
  );
}

/** The line tells apart what is replaced in the same way at several places of a file. */
function changeOf({ location: { start, end }, replacement = '' }: MutantResult, source: string): string {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const [line = ''] = lines;
  const last = lines.length - 1;
  const original = lines.map((text, index) => text.slice(index === 0 ? start.column - 1 : 0, index === last ? end.column - 1 : undefined)).join('\n');
  const place = line.trim() === original ? '' : ` in ${code(line)}`;
  return `${code(original)} → ${code(replacement)}${place}`;
}

/** One line of Markdown in a cell: a bar would end the cell, a backtick the code. */
function code(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const short = line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
  return `\`\` ${short.replaceAll('|', '\\|')} \`\``;
}
