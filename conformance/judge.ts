import type { Judgement, Requirement } from '../spec/model/requirement.ts';
import type { Scenario } from '../spec/model/scenario.ts';
import type { Enactment } from './worlds/enact.ts';

/** What one enacted scenario says of one requirement. A case that could not be enacted to its end says nothing good. */
export type CaseJudgement = Judgement | { readonly fault: string };

/** Puts a requirement to an enacted scenario. A violation that was seen stands, whatever went wrong later. */
export function judge(requirement: Requirement, scenario: Scenario, enactment: Enactment): CaseJudgement {
  if (!requirement.when(scenario)) return 'unexercised';
  const judgement = requirement.judge(scenario, enactment.trace);
  if (typeof judgement === 'object') return judgement;
  const fault = faultOf(enactment);
  return fault === undefined ? judgement : { fault };
}

/** Why a scenario could not be enacted to its end; `undefined` when it was. */
export function faultOf({ fault, trace }: Pick<Enactment, 'fault' | 'trace'>): string | undefined {
  if (fault) return fault.message;
  return trace.some(({ kind }) => kind === 'hung') ? 'The run never ended: nothing moved any more, and no tool call was waiting.' : undefined;
}

/** Tells whether a judgement is a violation. */
export function isBroken(judgement: CaseJudgement): judgement is { broken: string; at: number } {
  return typeof judgement === 'object' && 'broken' in judgement;
}
