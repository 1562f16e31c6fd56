import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allRequirements } from '../../conformance/certify.ts';

const root = new URL('../../', import.meta.url);
const cited = new Set(
  globSync('reference/**/*.ts', { cwd: root }).flatMap((file) => [...readFileSync(new URL(file, root), 'utf8').matchAll(/@requirement ([a-z.-]+[a-z])/g)].map((match) => match[1])),
);

test('every MUST is cited by the function of the reference that keeps it', () => {
  expect(allRequirements.filter(({ level, id }) => level === 'MUST' && !cited.has(id)).map(({ id }) => id)).toEqual([]);
});

test('every citation is of a requirement that exists', () => {
  const ids = new Set(allRequirements.map(({ id }) => id));
  expect([...cited].filter((id) => !ids.has(id as string))).toEqual([]);
});
