import type { Judgement, Requirement } from '../spec/model/requirement.ts';
import { once } from '../spec/model/once.ts';
import { delegationsOf } from '../spec/model/questions.ts';
import { depthOf, type Ref, runOf, scriptOf } from '../spec/model/ref.ts';
import type { Scenario } from '../spec/model/scenario.ts';
import { type Placed, seen, type Trace } from '../spec/model/trace.ts';
import type { Enactment } from './worlds/enact.ts';

/** What one enacted scenario says of one requirement. A case that could not be enacted to its end says nothing good. */
export type CaseJudgement = Judgement | { readonly fault: string };

/** Puts a requirement to an enacted scenario. A violation that was seen stands, whatever went wrong later. */
export function judge(requirement: Requirement, scenario: Scenario, enactment: Enactment): CaseJudgement {
  if (!requirement.when(scenario)) return 'unexercised';
  const judgement = requirement.judge(scenario, enactment.trace);
  if (typeof judgement === 'object') return judgement;
  const fault = faultOf(scenario, enactment);
  return fault === undefined ? judgement : { fault };
}

/** Why an enactment says nothing good of any requirement; `undefined` when the scenario was acted out, once and to its end. */
export function faultOf(scenario: Scenario, enactment: Enactment): string | undefined {
  return faultIn(enactment)(scenario);
}

const faultIn = once(({ fault, trace }: Enactment) =>
  once((scenario: Scenario) => {
    if (fault) return fault.message;
    if (trace.some(({ kind }) => kind === 'hung')) return 'The run never ended: nothing moved any more, and no tool call was waiting.';
    return unasked(scenario, trace) ?? repeated(scenario, trace);
  }),
);

/** Work that is said to be done, and nobody was asked to do it. */
function unasked(scenario: Scenario, trace: Trace): string | undefined {
  const pretended = delegationsOf(scenario, trace).find(({ answered, startedAt }) => answered && startedAt === undefined);
  if (pretended) return `${pretended.call} was answered, but the model of ${pretended.callee} was never asked.`;
  const acted = new Set(seen(trace, 'probe-acted').map(({ call }) => call));
  const invented = seen(trace, 'model-asked')
    .flatMap(({ results }) => results)
    .find(({ call, text }) => text.includes(`Did ${call}.`) && !acted.has(call));
  if (invented) return `${invented.call} was answered, but the tool was never called.`;
  const last = seen(trace, 'model-replied').filter(({ reply }) => reply !== 'calls');
  const early = seen(trace, 'run-settled').find(
    ({ run, status, at }) =>
      status === 'completed' && !isCutShort(scenario, `r${run}`) && !last.some((reply) => runOf(reply.task) === run && reply.at < at && depthOf(reply.task) === 0),
  );
  return early && `Run ${early.run} is said to be completed, but its model had not answered.`;
}

/** Its agent may run out of turns before it answers. Whoever says then that the run is completed is wrong, and hides no work. */
function isCutShort({ agents, ...scenario }: Scenario, root: Ref): boolean {
  const script = scriptOf(scenario, root);
  return script?.kind === 'agent' && agents?.[script.agent]?.turns !== undefined;
}

/** A step that was taken again although it had gone well. One that failed may be tried again: also an answer that does not fit. */
function repeated(scenario: Scenario, trace: Trace): string | undefined {
  const done = new Set<string>();
  for (const o of trace) {
    const step = o.kind === 'probe-called' ? o.call : o.kind === 'model-asked' ? turnOf(o) : undefined;
    if (step !== undefined && done.has(step)) return `${step} was done again although it had gone well.`;
    const gone = stepThatWentWell(scenario, o);
    if (gone !== undefined) done.add(gone);
  }
  return undefined;
}

/** The step that an observation is the good end of. */
function stepThatWentWell(scenario: Scenario, o: Placed): string | undefined {
  if (o.kind === 'probe-acted') return o.op.kind === 'fail' ? undefined : o.call;
  if (o.kind !== 'model-replied' || o.reply === 'failure') return undefined;
  const script = scriptOf(scenario, o.task);
  return o.reply === 'answer' && script?.kind === 'agent' && script.answer === 'unfit' ? undefined : turnOf(o);
}

function turnOf({ task, turn }: { readonly task: Ref; readonly turn: number }): string {
  return `Turn ${turn} of ${task}`;
}

/** Tells whether a judgement is a violation. */
export function isBroken(judgement: CaseJudgement): judgement is { broken: string; at: number } {
  return typeof judgement === 'object' && 'broken' in judgement;
}
