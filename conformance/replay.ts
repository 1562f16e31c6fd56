import type { Adapter } from '../spec/model/ports.ts';
import type { Requirement } from '../spec/model/requirement.ts';
import type { Trace } from '../spec/model/trace.ts';
import { allRequirements } from './certify.ts';
import { type CaseJudgement, isBroken, judge } from './judge.ts';
import { type Story, tellStory } from './story.ts';
import { decodeToken } from './token.ts';
import { UsageError } from './usage-error.ts';
import { enact } from './worlds/enact.ts';

/** What came of enacting one case again. */
export interface Replayed {
  readonly requirement: string;
  readonly runtime: { readonly name: string; readonly version: string };
  readonly verdict: 'violated' | 'kept' | 'unexercised' | 'nondeterministic' | 'faulted';
  /** What was seen instead, or why there is no verdict. */
  readonly because?: string | undefined;
  readonly story?: Story | undefined;
  readonly trace: Trace;
}

/** Enacts the case of a token twice and judges it by its requirement. @throws UsageError when the token is not one of this kit's. */
export async function replay(adapter: Adapter, token: string): Promise<Replayed> {
  const { requirement: id, scenario } = decodeToken(token);
  const requirement = requirementOf(id);
  const first = await enact(adapter, scenario);
  const judgement = judge(requirement, scenario, first);
  const again = judge(requirement, scenario, await enact(adapter, scenario));
  const base = { requirement: id, runtime: { name: adapter.name, version: adapter.version } };
  const { trace } = first;
  const [before, after] = [inOneWord(judgement), inOneWord(again)];
  if (before !== after) return { ...base, verdict: 'nondeterministic', because: `The case was ${before} once and ${after} when it was enacted again.`, trace };
  if (typeof judgement === 'string') return { ...base, verdict: judgement, trace };
  if (isBroken(judgement)) {
    return { ...base, verdict: 'violated', because: judgement.broken, story: tellStory({ requirement, scenario, trace, broken: judgement, token }), trace };
  }
  return { ...base, verdict: 'faulted', because: 'fault' in judgement ? judgement.fault : judgement.broken, trace };
}

function requirementOf(id: string): Requirement {
  const requirement = allRequirements.find((one) => one.id === id);
  if (!requirement) throw new UsageError(`The token is about ${JSON.stringify(id)}, which this version of the specification does not have. Certify again for a new token.`);
  return requirement;
}

function inOneWord(judgement: CaseJudgement): 'kept' | 'unexercised' | 'violated' | 'faulted' {
  if (typeof judgement === 'string') return judgement;
  return isBroken(judgement) ? 'violated' : 'faulted';
}
