// Uses a value and a type of every export path: it compiles against the published declarations, and runs.
import { type Certificate, certify } from 'delegation-tck';
import reference from 'delegation-tck/adapters/reference';
import manifest from 'delegation-tck/package.json' with { type: 'json' };
import { createRunner, type Runner } from 'delegation-tck/reference';
import { chapters, type RequirementId } from 'delegation-tck/spec';
import bareLoop from './my-adapter.ts';

const runner: Runner = createRunner();
const id: RequirementId = 'host.is-opaque';
const ids: readonly string[] = chapters.flatMap(({ requirements }) => requirements.map((requirement) => requirement.id));
const certificate: Certificate = await certify(bareLoop, { cases: 1 });

console.log(
  JSON.stringify({ runner: typeof runner, known: ids.includes(id), kit: certificate.kit, version: manifest.version, runtimes: [reference.name, certificate.runtime.name] }),
);
