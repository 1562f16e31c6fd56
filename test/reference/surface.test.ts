import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as reference from '../../reference/index.ts';
import * as otel from '../../reference/otel.ts';

const VALUES = [
  'CancelledError',
  'DEFAULT_LIMITS',
  'DelegationError',
  'IncompleteReplyError',
  'InvalidArgumentsError',
  'InvalidDefinitionError',
  'InvalidOutputError',
  'IterationLimitError',
  'MissingDependencyError',
  'RecursionLimitError',
  'StructuredOutputUnsupportedError',
  'TimeoutError',
  'UnknownToolError',
  'agentStep',
  'coordinatorStep',
  'createBus',
  'createDeps',
  'createGuard',
  'createLedger',
  'createParts',
  'createRunner',
  'createScratchpad',
  'defineAgent',
  'defineNode',
  'delegateTo',
  'fanOut',
  'functionStep',
  'isDelegationError',
  'loop',
  'nodeTool',
  'parallel',
  'sequential',
  'slot',
  'stream',
  'toolbox',
  'version',
  'withOutput',
  'withRetry',
  'withRunner',
  'withTimeout',
  'withTools',
];

const TYPES = [
  'AccountReport',
  'Agent',
  'AgentChange',
  'AgentDefinition',
  'AgentStepOptions',
  'Ambient',
  'Bus',
  'Clock',
  'DelegationErrorCode',
  'DepReader',
  'Ending',
  'Failed',
  'FailedAttempt',
  'FanOutDefinition',
  'Guard',
  'Ledger',
  'Limits',
  'LimitsInForce',
  'Lineage',
  'LoopDefinition',
  'Member',
  'MemberTerms',
  'ModelRetry',
  'NamedTool',
  'Node',
  'NodeContext',
  'NodeDefinition',
  'NodeIdentity',
  'NodeResult',
  'NodeToolDefinition',
  'ParallelDefinition',
  'Parts',
  'Provisions',
  'Refusal',
  'RetryOptions',
  'RunContext',
  'RunEndEvent',
  'RunEvent',
  'RunListener',
  'RunStart',
  'RunStartEvent',
  'RunStream',
  'Runner',
  'RunnerOptions',
  'Scratchpad',
  'ScratchpadReader',
  'SequentialDefinition',
  'SlotDefinition',
  'Succeeded',
  'TextEvent',
  'ToolCall',
  'ToolEndEvent',
  'ToolStartEvent',
  'Tools',
  'TraceStart',
  'Usage',
  'UsageLedger',
  'UsageReport',
];

/** The types that an entry exports, read off its source: at run time they are gone. */
function typesOf(entry: string): readonly string[] {
  const source = readFileSync(new URL(`../../reference/${entry}`, import.meta.url), 'utf8');
  const lists = [...source.matchAll(/export (type )?\{([^}]*)\}/g)].flatMap(([, all, names = '']) => names.split(',').map((name) => (all ? `type ${name.trim()}` : name.trim())));
  return lists.flatMap((name) => (name.startsWith('type ') ? [name.slice('type '.length)] : [])).sort();
}

// Breaks when something public is added, renamed or taken away: a change that users have to be told of.
test('the public surface is this and nothing else', () => {
  expect(Object.keys(reference).sort()).toEqual(VALUES);
  expect(typesOf('index.ts')).toEqual(TYPES);
  expect(Object.keys(otel)).toEqual(['traceWith']);
});

test('what a caller may do is told by the shape of a runner', () => {
  expect(Object.keys(reference.createRunner()).sort()).toEqual(['parts', 'run', 'runStructured']);
  expect(Object.keys(reference.createRunner({ structured: false })).sort()).toEqual(['parts', 'run']);
});
