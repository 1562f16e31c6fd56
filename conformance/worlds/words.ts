import type { AgentTask, Call, CompositeTask, Op, Scenario, Task, Turn } from '../../spec/model/scenario.ts';

// Words for writing scenarios by hand.

export const probe = (op: Op): Call => ({ kind: 'probe', op });
export const delegate = (task: Task): Call => ({ kind: 'delegate', task });
export const agentTask = (agent: string, turns: readonly Turn[], more: Partial<Omit<AgentTask, 'kind' | 'agent' | 'turns'>> = {}): AgentTask => ({
  kind: 'agent',
  agent,
  turns,
  ending: 'answer',
  usage: 'sound',
  ...more,
});
export const scenario = (runs: readonly Task[], more: Partial<Scenario> = {}): Scenario => ({ runs, host: 'record', built: false, schedule: [], ...more });
export const compositeTask = (kind: CompositeTask['kind'], parts: readonly Task[], more: Partial<Omit<CompositeTask, 'kind' | 'parts'>> = {}): CompositeTask => ({
  kind,
  parts,
  times: 1,
  ...more,
});
