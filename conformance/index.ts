export { type Baseline, compare, type Compared, type KnownViolation, parseBaseline } from './baseline.ts';
export type { Certificate, RequirementVerdict, Verdict } from './certificate.ts';
export { DEFAULT_CASES, DEFAULT_SEED } from './cases.ts';
export { allRequirements, certify } from './certify.ts';
export type { CertifyOptions, Progress } from './certify-options.ts';
export { defineAdapter } from './define-adapter.ts';
export { loadAdapter } from './load-adapter.ts';
export { type KillMatrix, killMatrix, type KillOptions, type MatrixRow } from './selftest.ts';
export { replay, type Replayed } from './replay.ts';
export { storiesOf } from './stories.ts';
export { renderStory, type Story } from './story.ts';
export type { Step } from './telling/steps.ts';
export { decodeToken, encodeToken, type Replay } from './token.ts';
export { isUsageError, UsageError } from './usage-error.ts';
export { VERSION } from './version.ts';
export { enact, type Enactment } from './worlds/enact.ts';
export { type Capabilities, CAPABILITIES, type Capability } from '../spec/model/capability.ts';
export type { Ambient, DepReader, Guard, Ledger, MutableAdapter, Parts, Scratchpad } from '../spec/model/parts.ts';
export type {
  Adapter,
  AgentSpec,
  CompositeSpec,
  DelegationPort,
  Instruments,
  ModelMessage,
  ModelReply,
  ModelRequest,
  PadView,
  Probe,
  ProbeContext,
  RunInput,
  RunOutcome,
  RunTeam,
  Slot,
  Team,
} from '../spec/model/ports.ts';
export type { Chapter, Requirement } from '../spec/model/requirement.ts';
export type { Limits, Scenario } from '../spec/model/scenario.ts';
export type { Observation, Trace } from '../spec/model/trace.ts';
export type { ReportedUsage, UsageReport } from '../spec/model/usage.ts';
