import { describe, expect, test } from 'vitest';
import { acceptedIn, compare } from '../../scripts/accepted-survivors.ts';
import { killedIn, type MutationReport, survivorsIn } from '../../scripts/survivors.ts';

const source = 'if (a || b) {\n  stop();\n}\nif (a || b) {\n  stop();\n}\n';
const file = 'reference/stop.ts';

describe('the page of accepted survivors', () => {
  test('reads back every row as the report prints it, also with bars and lines in the code', () => {
    const survivors = survivorsIn(reportOf(or(1, 'Survived'), block(1, 'NoCoverage')));
    expect(compare(survivors, acceptedIn(pageOf(survivors.map(({ change }) => `| ${file} | ${change} | equivalent: both stop |`))))).toEqual({
      unlisted: [],
      stale: [],
      excused: 2,
    });
  });

  test('still matches when lines have moved', () => {
    const [before, after] = [survivorsIn(reportOf(or(1, 'Survived'))), survivorsIn(reportOf(or(4, 'Survived')))];
    expect(after[0]?.change).toBe(before[0]?.change);
  });

  test('takes a row for each of two survivors that read alike', () => {
    const survivors = survivorsIn(reportOf(or(1, 'Survived'), or(4, 'Survived')));
    const rows = acceptedIn(pageOf([`| ${file} | ${survivors[0]?.change} | equivalent |`]));
    expect(compare(survivors, rows).unlisted).toEqual([survivors[1]]);
  });

  test('is stale when the mutant of a row is killed', () => {
    const [row] = acceptedIn(pageOf([`| ${file} | gone | open: nobody looks |`]));
    expect(compare([], row ? [row] : []).stale).toEqual([row]);
  });

  test('excuses what is equivalent or out of scope, and nothing that is open', () => {
    const survivors = survivorsIn(reportOf(or(1, 'Survived')));
    const excused = (reason: string) => compare(survivors, acceptedIn(pageOf([`| ${file} | ${survivors[0]?.change} | ${reason} |`]))).excused;
    expect([excused('equivalent'), excused('out of scope, because words are free'), excused('open')]).toEqual([1, 1, 0]);
  });

  test('refuses a row without a reason', () => {
    expect(() => acceptedIn(pageOf([`| ${file} | gone |  |`]))).toThrow('cannot be read');
  });
});

test('a mutant that had to be stopped counts as killed, one that was left out does not count', () => {
  const report = reportOf(or(1, 'Timeout'), or(1, 'Killed'), or(4, 'Ignored'));
  expect([killedIn(report), survivorsIn(report)]).toEqual([2, []]);
});

type Mutant = MutationReport['files'][string]['mutants'][number];

function or(line: number, status: string): Mutant {
  return { mutatorName: 'LogicalOperator', replacement: 'a && b', status, location: { start: { line, column: 5 }, end: { line, column: 11 } } };
}

function block(line: number, status: string): Mutant {
  return { mutatorName: 'BlockStatement', replacement: '{}', status, location: { start: { line, column: 13 }, end: { line: line + 2, column: 2 } } };
}

function reportOf(...mutants: readonly Mutant[]): MutationReport {
  return { files: { [file]: { source, mutants } } };
}

function pageOf(rows: readonly string[]): string {
  return ['# Page', '', '| file | change | reason |', '|---|---|---|', ...rows].join('\n');
}
