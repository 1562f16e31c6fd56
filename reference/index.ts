export { type Agent, type AgentChange, type AgentDefinition, defineAgent, type Tools, withTools } from './agent.ts';
export { agentStep, type AgentStepOptions, type ScratchpadReader } from './agent-step.ts';
export { type Bus, createBus, type RunListener } from './bus.ts';
export type { Clock } from './clock.ts';
export { coordinatorStep } from './coordinator-step.ts';
export { delegateTo, type Member, type MemberTerms } from './delegate-to.ts';
export { createDeps } from './deps.ts';
export {
  CancelledError,
  DelegationError,
  type DelegationErrorCode,
  IncompleteReplyError,
  InvalidArgumentsError,
  InvalidDefinitionError,
  InvalidOutputError,
  isDelegationError,
  IterationLimitError,
  MissingDependencyError,
  RecursionLimitError,
  type Refusal,
  StructuredOutputUnsupportedError,
  TimeoutError,
  UnknownToolError,
} from './errors.ts';
export { fanOut, type FanOutDefinition } from './fan-out.ts';
export { functionStep } from './function-step.ts';
export { DEFAULT_LIMITS, type LimitsInForce } from './limits.ts';
export type { Lineage, ToolCall, TraceStart } from './lineage.ts';
export { loop, type LoopDefinition } from './loop.ts';
export type { ModelRetry } from './model-retry.ts';
export { defineNode, type Node, type NodeContext, type NodeDefinition, type NodeIdentity, type RunContext, type RunStart } from './node.ts';
export type { Failed, NodeResult, Succeeded } from './node-result.ts';
export { type NamedTool, nodeTool, type NodeToolDefinition, type Provisions, toolbox } from './node-tool.ts';
export { parallel, type ParallelDefinition } from './parallel.ts';
export { createParts } from './parts.ts';
export { createGuard } from './recursion.ts';
export type { Ending, RunEndEvent, RunEvent, RunStartEvent, TextEvent, ToolEndEvent, ToolStartEvent } from './run-event.ts';
export { createRunner, type Runner, type RunnerOptions } from './runner.ts';
export { createScratchpad } from './scratchpad.ts';
export { sequential, type SequentialDefinition } from './sequential.ts';
export { slot } from './slot.ts';
export { type RunStream, stream } from './stream.ts';
export { type AccountReport, createLedger, type UsageLedger } from './usage.ts';
export { version } from './version.ts';
export { withOutput } from './with-output.ts';
export { type FailedAttempt, type RetryOptions, withRetry } from './with-retry.ts';
export { withRunner } from './with-runner.ts';
export { withTimeout } from './with-timeout.ts';
export type { Ambient, DepReader, Guard, Ledger, Parts, Scratchpad, SlotDefinition } from '../spec/model/parts.ts';
export type { Limits } from '../spec/model/scenario.ts';
export type { Usage, UsageReport } from '../spec/model/usage.ts';
