import { z } from 'zod';
import type { PadView, Probe, ProbeContext, Slot } from '../../spec/model/ports.ts';
import { callAt, doneWith, parseCallRef, probeFlaw, runOf } from '../../spec/model/ref.ts';
import { type DependencyName, type Op, type Scenario, SLOTS, type SlotName } from '../../spec/model/scenario.ts';
import type { Origin, Saw } from '../../spec/model/trace.ts';
import { messageOf, thrownAs } from './failure.ts';
import type { Recorder } from './recorder.ts';
import type { Schedule } from './schedule.ts';

/** What a probe needs to know of the case that it is part of. */
export interface Case {
  readonly scenario: Scenario;
  readonly recorder: Recorder;
  readonly schedule: Schedule;
  /** Whose host value a run was handed. */
  hostOrigin(run: number, value: unknown): Origin;
  /** Whose dependency a run was handed. */
  depOrigin(run: number, value: unknown): Origin;
  /** Aborts a run, as its caller would. */
  abort(run: number): void;
}

/** The slots that probes use, as a runtime defines them. */
export const slots = Object.fromEntries(Object.values(SLOTS).map(({ key, scope, merge }) => [key, slot(key, scope, merge)])) as Record<SlotName, Slot>;

function slot(key: SlotName, scope: 'run' | 'branch', merge: boolean): Slot {
  return Object.freeze({
    key,
    scope,
    init: () => [],
    ...(merge && { merge: (parent: readonly string[], child: readonly string[]) => [...parent, ...child] }),
  });
}

/** The input of every probe. Whoever parses it is heard. */
export function probeInput(recorder: Recorder): Probe['input'] {
  return z.object({ call: z.string() }).refine(({ call }) => (recorder.record({ kind: 'arguments-parsed', call }), true));
}

/** A tool of one agent: it waits at its gate, then acts out the operation that the scenario has for its call. */
export function probe(here: Case, input: Probe['input'], name: string, owner: string): Probe {
  const { recorder, schedule } = here;
  return {
    name,
    description: 'Does one step of the task.',
    input,
    async call({ call }, context) {
      const scripted = callAt(here.scenario, call);
      if (scripted?.kind !== 'probe') throw recorder.fault(`The probe was called with ${JSON.stringify(call)}, which no model asked for. Pass the tool's input on unchanged.`);
      const { op } = scripted;
      const run = runOf(parseCallRef(call)?.ref ?? '');
      recorder.record({ kind: 'probe-called', call, host: here.hostOrigin(run, context.host), owner });
      if ((await (op.kind === 'hang' ? schedule.hang(context.signal) : schedule.gate(call, context.signal))) === 'stopped') {
        recorder.record({ kind: 'probe-stopped', call });
        throw context.signal?.reason;
      }
      const saw = act(here, op, call, run, context);
      recorder.record({ kind: 'probe-acted', call, op, saw });
      if (op.kind === 'fail') throw thrownAs(op.how, probeFlaw(call));
      if (op.kind === 'abort') here.abort(run);
      return doneWith(call);
    },
  };
}

function act(here: Case, op: Op, call: string, run: number, context: ProbeContext): Saw {
  switch (op.kind) {
    case 'append':
      return onPad(context.pad, (pad) => pad.update(slots[op.slot], (entries) => [...entries, call]), op.slot);
    case 'read':
      return onPad(context.pad, () => {}, op.slot);
    case 'dep':
      return lookUp(here, op.key, run, context);
    default:
      return { kind: 'nothing' };
  }
}

function onPad(pad: PadView | undefined, change: (pad: PadView) => void, name: SlotName): Saw {
  if (!pad) return { kind: 'no-scratchpad' };
  try {
    change(pad);
    return { kind: 'entries', entries: [...pad.get(slots[name])] };
  } catch (error) {
    return { kind: 'error', message: messageOf(error) };
  }
}

function lookUp(here: Case, key: DependencyName, run: number, { dep }: ProbeContext): Saw {
  if (!dep) return { kind: 'no-dependencies' };
  try {
    return { kind: 'dependency', origin: here.depOrigin(run, dep(key)) };
  } catch (error) {
    return { kind: 'error', message: messageOf(error) };
  }
}
