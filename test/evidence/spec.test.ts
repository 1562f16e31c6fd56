import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fieldBugsPage, indexPage, lockOf } from '../../scripts/spec-pages.ts';
import { chapters } from '../../spec/index.ts';
import lock from '../../spec/requirements.lock.json' with { type: 'json' };

const requirements = chapters.flatMap((chapter) => chapter.requirements.map((requirement) => ({ chapter: chapter.name, ...requirement })));
const page = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('every id is there once, and names its chapter', () => {
  expect(new Set(requirements.map(({ id }) => id)).size).toBe(requirements.length);
  for (const { id, chapter } of requirements) expect(id).toMatch(new RegExp(`^${chapter}\\.[a-z]+(-[a-z]+)*$`));
});

test.each(requirements)('$id is one sentence with its level in it, and says why, whence and what to check', ({ level, text, why, source, check }) => {
  expect(text).toContain(level);
  expect(text).toMatch(/^[A-Z][^\n]*\.$/);
  for (const said of [why, source, check]) expect(said.length).toBeGreaterThan(20);
});

test('a requirement is reworded on purpose: the lock says what it said (npm run spec:write)', () => {
  expect(lock).toEqual(lockOf());
});

test('the pages that are made from the specification are up to date (npm run spec:write)', () => {
  expect(page('spec/INDEX.md')).toBe(indexPage());
  expect(page('docs/field-bugs.md')).toBe(fieldBugsPage());
});
