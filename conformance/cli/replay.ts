import type { ReplayJob } from '../job.ts';
import type { Replayed } from '../replay.ts';
import { renderStory } from '../story.ts';
import { decodeToken } from '../token.ts';
import { UsageError } from '../usage-error.ts';
import { replayWatched } from '../watch.ts';
import { coloured, colours } from './colour.ts';
import { unknown } from './nearest.ts';
import { readDuration } from './numbers.ts';
import { withQuietStdout } from './quiet-stdout.ts';
import { allIds } from './selection.ts';

/** What `replay` was given. */
export interface ReplayArguments {
  readonly token: string;
  readonly adapter?: string;
  readonly json?: boolean;
  readonly isolate: boolean;
  readonly patience?: string;
}

const EXIT_CODES: Readonly<Record<Replayed['verdict'], 0 | 1 | 2 | 3>> = { kept: 0, violated: 1, unexercised: 2, nondeterministic: 2, faulted: 3 };

/** Enacts one case again and tells it. @throws UsageError when the token is malformed or there is no adapter. */
export async function replayAndTell(given: ReplayArguments, entry: string): Promise<number> {
  const { requirement, adapter: path } = decodeToken(given.token);
  if (!allIds.includes(requirement)) throw unknown('requirement', requirement, allIds);
  const adapter = given.adapter ?? path;
  if (adapter === '') throw new UsageError('The token names no adapter, since it was certified from code. Give --adapter PATH.');
  const job: ReplayJob = { kind: 'replay', adapter, token: given.token };
  const patience = given.patience === undefined ? undefined : readDuration(given.patience, '--patience');
  const replayed = given.isolate ? await replayWatched(job, { entry, patience }) : await replayHere(job);
  process.stdout.write(given.json ? `${JSON.stringify(replayed, null, 2)}\n` : tell(replayed));
  return EXIT_CODES[replayed.verdict];
}

async function replayHere({ adapter, token }: ReplayJob): Promise<Replayed> {
  const { loadAdapter } = await import('../load-adapter.ts');
  const { replay } = await import('../replay.ts');
  return withQuietStdout(async () => replay(await loadAdapter(adapter), token));
}

function tell({ requirement, runtime, verdict, because, story }: Replayed): string {
  const on = `${runtime.name} ${runtime.version}`;
  if (story) return `${renderStory(story, coloured)}\n\n${colours.bold(colours.red(`${on} violates ${requirement} in this case.`))}\n`;
  const words: Readonly<Record<Replayed['verdict'], string>> = {
    kept: colours.green(`${on} keeps ${requirement} in this case.`),
    violated: colours.red(`${on} violates ${requirement} in this case: ${because}`),
    unexercised: colours.yellow(`${on} does not put ${requirement} to the test in this case.`),
    nondeterministic: colours.yellow(`${requirement} is nondeterministic on ${on}. ${because}`),
    faulted: colours.red(`${requirement} could not be judged on ${on}. ${because}`),
  };
  return `${words[verdict]}\n`;
}
