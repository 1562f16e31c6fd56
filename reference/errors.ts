import type { Limits } from '../spec/model/scenario.ts';

/** What can go wrong in a delegation runtime, as literals to switch on. */
export type DelegationErrorCode =
  | 'recursion-limit'
  | 'iteration-limit'
  | 'cancelled'
  | 'timeout'
  | 'missing-dependency'
  | 'unknown-tool'
  | 'invalid-arguments'
  | 'invalid-output'
  | 'incomplete-reply'
  | 'structured-output-unsupported'
  | 'invalid-definition'
  | 'not-an-error';

/** An error of this runtime. It never quotes a conversation, an argument or a credential. */
export class DelegationError extends Error {
  readonly code: DelegationErrorCode;

  constructor(code: DelegationErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** Where a delegation was refused. `depth` counts delegations from the root, which is at depth 0. */
export interface Refusal {
  readonly limit: keyof Limits;
  readonly value: number;
  readonly depth: number;
  /** The names from the root to the refused node. */
  readonly chain: readonly string[];
}

/** A limit on delegation forbids an activation. */
export class RecursionLimitError extends DelegationError implements Refusal {
  readonly limit: keyof Limits;
  readonly value: number;
  readonly depth: number;
  readonly chain: readonly string[];

  /** @requirement recursion.error-tells-limit-depth-and-chain */
  constructor({ limit, value, depth, chain }: Refusal) {
    super(
      'recursion-limit',
      `Delegation refused: ${limit} limit ${value} reached at depth ${depth} (${abridged(chain)}). ` + `Answer with what is known, or raise limits.${limit} where the run starts.`,
    );
    this.limit = limit;
    this.value = value;
    this.depth = depth;
    this.chain = chain;
  }
}

/** A model went on calling tools for as many turns as its agent allows. */
export class IterationLimitError extends DelegationError {
  constructor(agent: string, turns: number) {
    super('iteration-limit', `Agent "${agent}" gave no answer in ${turns} turns. Raise its maxIterations, or look for tools whose results lead it in circles.`);
  }
}

/** The caller aborted the run. `cause` is the reason that the signal carries. */
export class CancelledError extends DelegationError {
  constructor(what: string, cause: unknown) {
    super('cancelled', `${what} was cancelled: its signal is aborted. Nothing new was started.`, { cause });
  }
}

/** A node took longer than it is given. What it was doing has been stopped; the run that it is part of goes on. */
export class TimeoutError extends DelegationError {
  readonly node: string;
  readonly ms: number;

  constructor(node: string, ms: number) {
    super('timeout', `Node "${node}" was stopped: it took longer than ${ms} ms. Give it less to do, or raise its timeout.`);
    this.node = node;
    this.ms = ms;
  }
}

/** A dependency was asked for that is not bound. */
export class MissingDependencyError extends DelegationError {
  readonly key: string;

  constructor(key: string, bound: readonly string[]) {
    super('missing-dependency', `Dependency "${key}" is not bound; ${listed('bound', bound)}. Bind it where the run starts.`);
    this.key = key;
  }
}

/** A model called a tool that its agent does not have. */
export class UnknownToolError extends DelegationError {
  constructor(tool: string, agent: string, tools: readonly string[]) {
    super('unknown-tool', `Agent "${agent}" has no tool "${tool}"; ${listed('available', tools)}. Call one of these.`);
  }
}

/** A model called a tool with arguments that are not JSON or do not fit the tool's schema. */
export class InvalidArgumentsError extends DelegationError {
  constructor(tool: string, flaw: string, cause: unknown) {
    super('invalid-arguments', `The arguments of tool "${tool}" ${flaw}. Call it again with arguments that fit its schema.`, { cause });
  }
}

/** A model's answer is not JSON or does not fit the schema that was asked for. `cause` says where. */
export class InvalidOutputError extends DelegationError {
  constructor(agent: string, flaw: string, cause: unknown) {
    super('invalid-output', `The answer of agent "${agent}" ${flaw}. Say in its instructions what to answer, or ask for less.`, { cause });
  }
}

/** A model's stream ended before its reply did: nobody knows what else it had to say, nor what it cost. */
export class IncompleteReplyError extends DelegationError {
  constructor(agent: string) {
    super('incomplete-reply', `The model of agent "${agent}" broke off: its stream ended without a finish. Run it again, or look at the connection to its provider.`);
  }
}

/** A step has an output schema, and the runner that it runs on cannot keep to one. No model was asked. */
export class StructuredOutputUnsupportedError extends DelegationError {
  constructor(agent: string) {
    super('structured-output-unsupported', `Agent "${agent}" is to give structured output, and its runner has no runStructured. Give the step a runner that has.`);
  }
}

/** An agent, node or limit is defined in a way that cannot work. */
export class InvalidDefinitionError extends DelegationError {
  constructor(message: string) {
    super('invalid-definition', message);
  }
}

/** Tells by its code whether something is such an error, also when it comes from another copy of this package. */
export function isDelegationError(thrown: unknown, code: DelegationErrorCode): thrown is DelegationError {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code;
}

/**
 * Makes an error of whatever was thrown; an error stays the one it is.
 * @requirement failure.is-told-whatever-is-thrown
 */
export function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  return typeof thrown === 'string'
    ? new DelegationError('not-an-error', thrown, { cause: thrown })
    : new DelegationError('not-an-error', `A value of type ${typeof thrown} was thrown instead of an error. It is kept as the cause.`, { cause: thrown });
}

/** The most names a message spells out; an error's `chain` has them all. */
const CHAIN_IN_FULL = 40;

function abridged(chain: readonly string[]): string {
  if (chain.length <= CHAIN_IN_FULL) return chain.join(' → ');
  const ends = CHAIN_IN_FULL / 2;
  const left = chain.length - CHAIN_IN_FULL;
  return [...chain.slice(0, ends), `… ${left} more …`, ...chain.slice(-ends)].join(' → ');
}

function listed(what: string, names: readonly string[]): string {
  return names.length === 0 ? `none is ${what}` : `${what}: ${names.join(', ')}`;
}
