import fc from 'fast-check';
import { AGENTS, type AgentTask, type CompositeTask, DEPENDENCIES, type Op, type SlotName, type Task, type Turn } from '../../spec/model/scenario.ts';
import { delegate, probe } from './words.ts';

// What generated scenarios are made of.

export const anyone: fc.Arbitrary<string> = fc.constantFrom(...AGENTS);

/** What the tasks of a scenario are made of. */
export interface Material {
  /** How many delegations may lie one below the other. */
  readonly depth: number;
  readonly op: fc.Arbitrary<Op>;
  readonly ending?: fc.Arbitrary<'answer' | 'fail'>;
  readonly usage?: fc.Arbitrary<AgentTask['usage']>;
  /** How many calls a turn may have. */
  readonly width?: number;
  /** At most one delegation a turn. */
  readonly oneAtATime?: boolean;
}

export const schedule = fc.array(fc.nat(5), { maxLength: 14 });
export const pass: fc.Arbitrary<Op> = fc.constant({ kind: 'pass' });

/** Reads and writes, most of one slot, so that they have to do with each other. */
export function padOps(slot: SlotName): fc.Arbitrary<Op> {
  const other = fc.constantFrom<SlotName>('log', 'draft', 'notes');
  const mostly = fc.oneof({ weight: 6, arbitrary: fc.constant(slot) }, { weight: 1, arbitrary: other });
  return fc.oneof(
    { weight: 5, arbitrary: mostly.map((to): Op => ({ kind: 'append', slot: to })) },
    { weight: 5, arbitrary: mostly.map((from): Op => ({ kind: 'read', slot: from })) },
    { weight: 1, arbitrary: fc.constantFrom<Op>({ kind: 'pass' }, { kind: 'fail' }) },
  );
}

export const anyOp: fc.Arbitrary<Op> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom<Op>({ kind: 'pass' }, { kind: 'fail' }) },
  { weight: 3, arbitrary: fc.constantFrom(...DEPENDENCIES).map((key): Op => ({ kind: 'dep', key })) },
  { weight: 3, arbitrary: padOps('log') },
);

/** An agent's task with everything below it. */
export function task(material: Material, agent: fc.Arbitrary<string> = anyone): fc.Arbitrary<AgentTask> {
  const { depth, op, width = 3, ending = fc.constant('answer' as const), usage = fc.constant('sound' as const) } = material;
  const calls = fc.oneof({ weight: 3, arbitrary: op.map(probe) }, ...(depth > 0 ? [{ weight: 3, arbitrary: task({ ...material, depth: depth - 1 }).map(delegate) }] : []));
  const turn = fc.array(calls, { minLength: 1, maxLength: depth > 0 ? width : 2 }).map((found) => (material.oneAtATime ? firstDelegationOnly(found) : found));
  return fc.record({ kind: fc.constant('agent' as const), agent, turns: fc.array(turn, { minLength: 1, maxLength: 3 }), ending, usage });
}

function firstDelegationOnly(turn: Turn): Turn {
  const first = turn.findIndex(({ kind }) => kind === 'delegate');
  return turn.filter((call, index) => call.kind !== 'delegate' || index === first);
}

export function composite(kind: CompositeTask['kind'], parts: fc.Arbitrary<readonly Task[]>): fc.Arbitrary<CompositeTask> {
  return parts.map((found) => ({ kind, parts: found, times: 1 }));
}
