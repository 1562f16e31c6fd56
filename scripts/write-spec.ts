import { writeFileSync } from 'node:fs';
import { fieldBugsPage, indexPage, lockOf } from './spec-pages.ts';

// Writes what is derived from the specification: run it after a requirement was added or reworded, and review the diff.

const at = (path: string): URL => new URL(`../${path}`, import.meta.url);

writeFileSync(at('spec/requirements.lock.json'), `${JSON.stringify(lockOf(), null, 2)}\n`);
writeFileSync(at('spec/INDEX.md'), indexPage());
writeFileSync(at('docs/field-bugs.md'), fieldBugsPage());
