/**
 * What a runtime may lack. Coarse on purpose: a runtime that has half of one has a violation, not an absence.
 */
export const CAPABILITIES = {
  host: 'hands a value of the caller to every tool call (context, runtime context, run context …)',
  scratchpad: 'gives tools run-scoped and branch-scoped state',
  deps: 'injects named dependencies into tools',
  usage: 'reports the tokens that a run spent',
  limits: 'takes limits on delegation depth, visits per agent and total steps',
  composites: 'composes sub-agents in sequence, in parallel, by fan-out and in a loop',
  parallel: 'executes the tool calls of one model turn at the same time',
  abort: 'takes an abort signal for a run',
  timeouts: 'gives a sub-agent a time limit of its own',
  turns: "limits how many turns an agent's model may take",
  streaming: 'gives the answer of a run as a stream',
  structured: "gives an agent's answer in the shape that a schema describes",
  runners: 'lets parts of a team run on another runner, or an agent on another model, than its own',
  events: 'tells a subscriber when runs and tool calls start and end, each under an id',
} as const;

/** The name of something that a runtime may lack. */
export type Capability = keyof typeof CAPABILITIES;

/**
 * What an adapter claims: `true`, or the reason why the runtime lacks it. Every capability is named, so that a
 * certificate can say what was not looked at.
 */
export type Capabilities = Readonly<Record<Capability, true | string>>;

/** Tells whether a capability is claimed. */
export function has(capabilities: Capabilities, capability: Capability): boolean {
  return capabilities[capability] === true;
}

/** The claim of a runtime that lacks nothing. */
export const ALL_CAPABILITIES: Capabilities = Object.fromEntries(Object.keys(CAPABILITIES).map((name) => [name, true])) as Capabilities;
