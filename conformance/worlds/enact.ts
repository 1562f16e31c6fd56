import { z } from 'zod';
import { hostValue } from '../instruments/host-value.ts';
import { languageModel } from '../instruments/language-model.ts';
import { openaiEndpoint } from '../instruments/openai-endpoint.ts';
import { type Case, messageOf, probe, slots } from '../instruments/probe.ts';
import { AdapterFault, Recorder } from '../instruments/recorder.ts';
import { Schedule } from '../instruments/schedule.ts';
import { scriptedModel } from '../instruments/scripted-model.ts';
import { teamOf, toolFor } from '../instruments/team.ts';
import type { Adapter, Instruments, RunInput, RunOutcome } from '../../spec/model/ports.ts';
import { promptFor, refIn } from '../../spec/model/ref.ts';
import type { Scenario } from '../../spec/model/scenario.ts';
import type { Origin, SeenAccount, SeenUsage, Trace } from '../../spec/model/trace.ts';
import type { ReportedUsage, UsageReport } from '../../spec/model/usage.ts';

/** What came of enacting one scenario: what was seen, in which order gates were opened, and whose fault it was if it could not be enacted. */
export interface Enactment {
  readonly trace: Trace;
  /** The gates in the order in which they were opened while others waited. */
  readonly order: readonly string[];
  readonly fault: AdapterFault | undefined;
}

/**
 * Has a runtime act out a scenario, and writes down what the kit's instruments see. Never throws. `watchdog` is how long
 * the runtime may wait for a timer or a socket of its own, in milliseconds.
 */
export async function enact(adapter: Adapter, scenario: Scenario, watchdog?: number): Promise<Enactment> {
  const recorder = new Recorder();
  const schedule = new Schedule(recorder, scenario.schedule, { idleTurns: adapter.idleTurns, watchdog });
  try {
    await runAll(adapter, scenario, recorder, schedule);
  } catch (error) {
    recorder.fault(`${adapter.name}'s adapter threw: ${messageOf(error)}`);
  }
  recorder.close();
  schedule.release();
  return { trace: recorder.trace, order: schedule.order, fault: recorder.firstFault };
}

async function runAll(adapter: Adapter, scenario: Scenario, recorder: Recorder, schedule: Schedule): Promise<void> {
  const callers = scenario.runs.map((_, run) => caller(scenario, run, recorder));
  const builtHost = hostValue(scenario.host, 'built', () => {});
  const built = scenario.built ? { host: builtHost, deps: dependencies('built') } : undefined;
  const here: Case = {
    scenario,
    recorder,
    schedule,
    hostOrigin: (run, value) => originOf(value, run, callers.map(({ host }) => host), built?.host),
    depOrigin: (run, value) => originOf(value, run, callers.map(({ deps }) => deps.get('clock')), built?.deps.get('clock')),
    abort: (run) => callers[run]?.controller.abort(new Error('The caller aborted the run.')),
  };
  const team = Promise.resolve().then(() => adapter.delegation({ ...teamOf(scenario), built }, instruments(here)));

  const pending = new Set(callers.keys());
  let fault: unknown;
  const runs = callers.map(async ({ host, deps, controller }, run) => {
    recorder.record({ kind: 'run-started', run });
    const input: RunInput = { prompt: promptFor(`r${run}`), host, deps, limits: scenario.limits, signal: controller.signal };
    try {
      const runTeam = await team;
      recorder.record(settlement(run, await runTeam(input)));
    } catch (error) {
      fault ??= error;
    }
    pending.delete(run);
    recorder.activity++;
  });
  if ((await schedule.drive(() => pending.size === 0)) === 'hung') {
    for (const run of pending) recorder.record({ kind: 'hung', run });
    return;
  }
  await Promise.all(runs);
  if (fault !== undefined) throw fault;
}

/** What the caller of one run brings. */
function caller(scenario: Scenario, run: number, recorder: Recorder) {
  const touched = (how: string): void => recorder.record({ kind: 'host-touched', how });
  return { host: hostValue(scenario.host, `run ${run}`, touched), deps: dependencies(`run ${run}`), controller: new AbortController() };
}

/** `clock` is bound to a value of its owner's, `nothing` to undefined, and `absent` is not bound. */
function dependencies(owner: string): ReadonlyMap<string, unknown> {
  return new Map([
    ['clock', Object.freeze({ owner })],
    ['nothing', undefined],
  ]);
}

/** Tells whose a value is, by identity alone. */
function originOf(value: unknown, run: number, owned: readonly unknown[], built: unknown): Origin {
  if (value === undefined || value === null) return 'none';
  if (value === owned[run]) return 'own';
  if (owned.includes(value)) return 'other-run';
  return value === built ? 'built' : 'foreign';
}

function instruments(here: Case): Instruments {
  const reply = scriptedModel(here.scenario, here.recorder);
  return {
    model: (agent) => languageModel(reply, agent),
    reply,
    endpoint: openaiEndpoint(reply),
    probe: probe(here),
    slots,
    toolFor,
    taskInput: z.object({ task: z.string() }),
  };
}

function settlement(run: number, { status, text, usage }: RunOutcome): Trace[number] {
  if (status !== 'completed' && status !== 'failed' && status !== 'cancelled') {
    throw new AdapterFault(`a run ended with status ${JSON.stringify(status)}; it has to be "completed", "failed" or "cancelled"`);
  }
  return { kind: 'run-settled', run, status, text: text ?? '', usage: usage ? account({ ...usage, prompt: promptFor(`r${run}`) }) : null };
}

function account({ prompt, own, total, children }: UsageReport & { readonly prompt: string }): SeenAccount {
  return { task: refIn(prompt) ?? null, own: tokens(own), total: tokens(total), children: (children ?? []).map(account) };
}

function tokens(usage: ReportedUsage | undefined): SeenUsage | null {
  return usage ? { input: figure(usage.input), output: figure(usage.output) } : null;
}

/** A number as JSON can hold it; anything else spelt out. */
function figure(value: unknown): number | string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'number' && Number.isFinite(value) ? value : String(value);
}
