import type { Adapter } from '../spec/model/ports.ts';
import type { Certificate, RequirementVerdict } from './certificate.ts';
import { allRequirements } from './certify.ts';
import { isBroken, judge } from './judge.ts';
import { type Story, tellInBrief, tellStory } from './story.ts';
import { enact } from './worlds/enact.ts';

/** Tells every violation of a certificate, each enacted once more for its trace. */
export async function* storiesOf(adapter: Adapter, certificate: Certificate): AsyncGenerator<Story> {
  for (const verdict of certificate.verdicts) {
    const story = verdict.verdict === 'violated' ? await storyOf(adapter, verdict) : undefined;
    if (story) yield story;
  }
}

async function storyOf(adapter: Adapter, { id, because = '', scenario, token }: RequirementVerdict): Promise<Story | undefined> {
  const requirement = allRequirements.find((one) => one.id === id);
  if (!requirement) return undefined;
  if (!scenario) return tellInBrief(requirement, because);
  const enactment = await enact(adapter, scenario);
  const judgement = judge(requirement, scenario, enactment);
  return isBroken(judgement) ? tellStory({ requirement, scenario, trace: enactment.trace, broken: judgement, token }) : tellInBrief(requirement, because);
}
