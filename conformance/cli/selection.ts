import { chapters } from '../../spec/index.ts';
import { unknown } from './nearest.ts';

/** Every id, in reading order. */
export const allIds: readonly string[] = chapters.flatMap((chapter) => chapter.requirements.map(({ id }) => id as string));

/** The ids that `--chapter` and `--only` name together; `undefined` when neither was given. @throws UsageError for a name that is not known. */
export function select(named: readonly string[] = [], only: readonly string[] = []): readonly string[] | undefined {
  const names = chapters.map(({ name }) => name as string);
  for (const name of named) if (!names.includes(name)) throw unknown('chapter', name, names);
  for (const id of only) if (!allIds.includes(id)) throw unknown('requirement', id, allIds);
  if (named.length === 0 && only.length === 0) return undefined;
  return allIds.filter((id) => only.includes(id) || named.includes(id.slice(0, id.indexOf('.'))));
}
