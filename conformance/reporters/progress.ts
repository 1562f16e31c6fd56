import pc from 'picocolors';
import type { RequirementVerdict } from '../certificate.ts';
import type { Progress } from '../certify-options.ts';
import { tally } from './by-chapter.ts';

/** Where progress is shown. */
export interface Screen {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** Shows how far a certification has come: one line that changes on a terminal, one line for each chapter elsewhere. */
export function progressReporter(screen: Screen, ids: readonly string[]): { onProgress(progress: Progress): void; end(): void } {
  return screen.isTTY ? liveLine(screen, ids) : quietLines(screen);
}

function quietLines(screen: Screen): ReturnType<typeof progressReporter> {
  let begun = false;
  const begin = (of: number): void => {
    if (!begun) screen.write(`enacting ${of} cases\n`);
    begun = true;
  };
  return {
    onProgress: (progress) => {
      if (progress.kind === 'case') begin(progress.of);
      if (progress.kind === 'chapter') screen.write(`${progress.chapter}: ${tally(progress.verdicts)}\n`);
    },
    end: () => {},
  };
}

function liveLine(screen: Screen, ids: readonly string[]): ReturnType<typeof progressReporter> {
  const chapters = [...new Set(ids.map(chapterOf))];
  const verdicts: RequirementVerdict[] = [];
  const show = (line: string): unknown => screen.write(`\r\u001B[2K${line}`);
  const place = (id: string): string =>
    `${chapterOf(id)} ${verdicts.filter(({ chapter }) => chapter === chapterOf(id)).length + 1}/${ids.filter((one) => chapterOf(one) === chapterOf(id)).length}`;
  return {
    onProgress: (progress) => {
      // A certification that has lost its process begins again.
      if (progress.kind === 'case') verdicts.length = 0;
      if (progress.kind === 'case') show(`${chapters.join(' ')} ${pc.dim(`case ${progress.index + 1}/${progress.of}`)}`);
      else if (progress.kind === 'shrinking') show(`${place(progress.id)} ${pc.dim(`shrinking ${progress.id}`)}`);
      else if (progress.kind === 'verdict') verdicts.push(progress.verdict);
      else show(`${progress.chapter}: ${tally(progress.verdicts)}\n`);
    },
    end: () => show(''),
  };
}

function chapterOf(id: string): string {
  return id.slice(0, id.indexOf('.'));
}
