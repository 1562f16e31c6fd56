import type { Scenario } from '../../spec/model/scenario.ts';
import { agentTask, delegate, probe, scenario } from './words.ts';

const pass = probe({ kind: 'pass' });
const append = (slot: 'log' | 'draft' | 'notes') => probe({ kind: 'append', slot });
const read = (slot: 'log' | 'draft' | 'notes') => probe({ kind: 'read', slot });
const again = { kind: 'recurse', up: 1 } as const;

/** Hand-picked scenarios: they are enacted first, and show what the generated ones are made of. */
export const examples: Readonly<Record<string, Scenario>> = {
  'a tool of a sub-agent of a sub-agent': scenario([agentTask('planner', [[pass, delegate(agentTask('writer', [[delegate(agentTask('critic', [[pass]]))]]))], [pass]])]),
  'what a sub-agent finds is shared': scenario([agentTask('planner', [[append('log')], [delegate(agentTask('scout', [[read('log'), append('log')]]))], [read('log')]])]),
  'the same sub-agent twice in one turn': scenario(
    [agentTask('planner', [[0, 1].map(() => delegate(agentTask('writer', [[append('draft')], [read('draft')]]))), [read('draft')]])],
    { schedule: [1, 0, 1] },
  ),
  'branches merge by index': scenario(
    [
      {
        kind: 'sequence',
        times: 1,
        parts: [
          agentTask('planner', [[append('notes')]]),
          { kind: 'parallel', times: 1, parts: [agentTask('writer', [[append('notes')]]), agentTask('scout', [[append('notes')]], { ending: 'fail' })] },
          agentTask('critic', [[read('notes')]]),
        ],
      },
    ],
    { schedule: [1] },
  ),
  'an agent that delegates to itself': scenario([agentTask('planner', [[again]])]),
  'two agents that delegate to each other': scenario([agentTask('planner', [[delegate(agentTask('writer', [[{ kind: 'recurse', up: 2 }]]))]])], { limits: { depth: 3 } }),
  'a router that never converges': scenario([agentTask('planner', [[delegate(agentTask('scout', []))]], { ending: 'forever' })], { limits: { visits: 3 } }),
  'a sub-agent that spends and then fails': scenario([agentTask('planner', [[delegate(agentTask('scout', [[pass]], { ending: 'fail' }))]])]),
  'a provider that reports nonsense': scenario([agentTask('planner', [[delegate(agentTask('scout', [], { usage: 'nan' }))]])]),
};
