import { z } from 'zod';
import { hostValue } from '../instruments/host-value.ts';
import { changesIn } from '../instruments/changes.ts';
import { EventEar } from '../instruments/event-ear.ts';
import { causesOf, messageOf } from '../instruments/failure.ts';
import { askedThrough, languageModel } from '../instruments/language-model.ts';
import { openaiEndpoint } from '../instruments/openai-endpoint.ts';
import { type Case, probe, probeInput, slots } from '../instruments/probe.ts';
import { AdapterFault, Recorder } from '../instruments/recorder.ts';
import { Schedule } from '../instruments/schedule.ts';
import { scriptedModel } from '../instruments/scripted-model.ts';
import { teamOf } from '../instruments/team.ts';
import type { Adapter, Instruments, RunInput, RunOutcome, RunTeam, Team } from '../../spec/model/ports.ts';
import { toolFor } from '../../spec/model/tools.ts';
import { callTo, promptFor, refIn } from '../../spec/model/ref.ts';
import type { Scenario } from '../../spec/model/scenario.ts';
import type { Observation, Origin, SeenAccount, SeenUsage, Trace } from '../../spec/model/trace.ts';
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
  const schedule = new Schedule(recorder, scenario.schedule, { idleTurns: adapter.idleTurns, watchdog, unseen: longestTimeout(scenario) });
  try {
    await runAll(adapter, scenario, recorder, schedule);
  } catch (error) {
    recorder.fault(`${adapter.name}'s adapter threw: ${messageOf(error)}`);
  }
  recorder.close();
  schedule.release();
  return { trace: recorder.trace, order: schedule.order, fault: recorder.firstFault };
}

/** A time limit may be kept by a timer that nobody can see: how long one runs, and a moment for it to be heard. */
function longestTimeout({ agents = {} }: Scenario): number {
  const timeouts = Object.values(agents).flatMap(({ timeout }) => timeout ?? []);
  return timeouts.length > 0 ? Math.max(...timeouts) + 20 : 0;
}

/** Has the team built, and all its runs run. @throws whatever the adapter threw first. */
async function runAll(adapter: Adapter, scenario: Scenario, recorder: Recorder, schedule: Schedule): Promise<void> {
  const callers = scenario.runs.map((_, run) => caller(scenario, run, recorder));
  const built = scenario.built ? { host: hostValue(scenario.host, 'built', () => {}), deps: dependencies('built') } : undefined;
  const here = caseOf(scenario, recorder, schedule, callers, built);
  const input = probeInput(recorder);
  const spec = { ...teamOf(scenario, (name, owner) => probe(here, input, name, owner)), built };
  const team = Promise.resolve().then(() => adapter.delegation(spec, instruments(here)));
  if (scenario.abortAfter) schedule.interrupt({ after: scenario.abortAfter, happen: () => here.abort(0) });

  const ear = new EventEar(recorder, scenario.subscriber === 'throws');
  const pending = new Set(callers.keys());
  const faults: unknown[] = [];
  let before: Promise<void> = Promise.resolve();
  for (const [run, one] of callers.entries()) {
    const input: RunInput = { ...one.input, onEvent: (event) => ear.hear(run, event) };
    const start = (): Promise<void> => {
      recorder.record({ kind: 'run-started', run });
      if (scenario.abortAfter === 0 && run === 0) here.abort(0);
      return runOne(team, input, run, one, recorder)
        .catch((error: unknown) => void faults.push(error))
        .finally(() => {
          pending.delete(run);
          recorder.activity++;
        });
    };
    before = scenario.inTurn ? before.then(start) : start();
  }
  if ((await schedule.drive(() => pending.size === 0)) === 'hung') for (const run of pending) recorder.record({ kind: 'hung', run });
  if (faults.length > 0) throw faults[0];
}

/** Has the team run once, and writes down how that ended and whether the caller's things are what they were. */
async function runOne(team: Promise<RunTeam>, input: RunInput, run: number, { controller }: Caller, recorder: Recorder): Promise<void> {
  const changes = changesIn(input);
  const runTeam = await team;
  const outcome = await runTeam(input);
  for (const what of changes()) recorder.record({ kind: 'caller-changed', run, what });
  recorder.record(settlement(run, outcome, controller.signal));
}

type Caller = ReturnType<typeof caller>;

/** What probes need to know of the case that they are part of. */
function caseOf(scenario: Scenario, recorder: Recorder, schedule: Schedule, callers: readonly Caller[], built: Team['built']): Case {
  const hosts = callers.map(({ input }) => input.host);
  const clocks = callers.map(({ input }) => input.deps.get('clock'));
  return {
    scenario,
    recorder,
    schedule,
    hostOrigin: (run, value) => originOf(value, run, hosts, built?.host),
    depOrigin: (run, value) => originOf(value, run, clocks, built?.deps.get('clock')),
    abort: (run) => {
      const { controller } = callers[run] as Caller;
      if (controller.signal.aborted) return;
      recorder.record({ kind: 'run-aborted', run });
      controller.abort(new Error('The caller aborted the run.'));
    },
  };
}

/** What the caller of one run brings. */
function caller(scenario: Scenario, run: number, recorder: Recorder) {
  const touched = (how: string): void => recorder.record({ kind: 'host-touched', how });
  const controller = new AbortController();
  const input: Omit<RunInput, 'onEvent'> = {
    prompt: promptFor(`r${run}`),
    host: hostValue(scenario.host, `run ${run}`, touched),
    deps: dependencies(`run ${run}`),
    limits: scenario.limits && { ...scenario.limits },
    signal: controller.signal,
    stream: scenario.streamed?.includes(run) ?? false,
  };
  return { input, controller };
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

function instruments({ scenario, recorder, schedule }: Case): Instruments {
  const reply = scriptedModel(scenario, recorder, schedule);
  const parsed = (task: string): void => {
    const call = callTo(refIn(task) ?? '');
    if (call !== undefined) recorder.record({ kind: 'arguments-parsed', call });
  };
  return {
    model: (agent) => languageModel(reply, agent),
    overridingModel: (agent) => languageModel(reply, agent, 'override'),
    through: askedThrough,
    reply,
    endpoint: openaiEndpoint(reply),
    clock: schedule.clock,
    slots,
    toolFor,
    taskInput: z.object({ task: z.string() }).refine(({ task }) => (parsed(task), true)),
  };
}

function settlement(run: number, { status, text = '', streamed, error, usage }: RunOutcome, { aborted, reason }: AbortSignal): Observation {
  if (status !== 'completed' && status !== 'failed' && status !== 'cancelled') {
    throw new AdapterFault(`a run ended with status ${JSON.stringify(status)}; it has to be "completed", "failed" or "cancelled"`);
  }
  const causes = causesOf(error);
  return {
    kind: 'run-settled',
    run,
    status,
    text,
    streamed: streamed ?? null,
    error: error === undefined ? null : causes.map(messageOf).join(' ← '),
    keepsReason: aborted && causes.includes(reason),
    usage: usage ? account({ ...usage, prompt: promptFor(`r${run}`) }) : null,
  };
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
