import { describe, expect, test } from 'vitest';
import { encodeToken } from '../../conformance/token.ts';
import { replay } from '../../conformance/replay.ts';
import { renderStory, type Story } from '../../conformance/story.ts';
import { programOf } from '../../conformance/telling/program.ts';
import { stepsOf } from '../../conformance/telling/steps.ts';
import type { Adapter } from '../../spec/model/ports.ts';
import type { Call, Scenario, Task } from '../../spec/model/scenario.ts';
import { enact } from '../../conformance/worlds/enact.ts';
import reference from '../../adapters/reference/index.ts';
import hostLoser from '../fixtures/host-loser.ts';

const plain = { host: 'record', built: false, schedule: [] } as const;
const read: Call = { kind: 'probe', op: { kind: 'read', slot: 'log' } };
const append: Call = { kind: 'probe', op: { kind: 'append', slot: 'log' } };
const pass: Call = { kind: 'probe', op: { kind: 'pass' } };

function agent(name: string, ...turns: readonly (readonly Call[])[]): Task {
  return { kind: 'agent', agent: name, turns, ending: 'answer', usage: 'sound' };
}

function ask(task: Task): Call {
  return { kind: 'delegate', task };
}

async function storyOf(adapter: Adapter, requirement: string, scenario: Scenario): Promise<Story> {
  const { story } = await replay(adapter, encodeToken({ requirement, adapter: '', scenario }));
  return story as Story;
}

/** What a runtime does in a scenario, as sentences. */
async function told(scenario: Scenario, focus = { host: false, usage: false, events: false }): Promise<readonly string[]> {
  const { trace } = await enact(reference, scenario);
  return stepsOf(scenario, trace, -1, focus).map((step) => (step.kind === 'gap' ? `(${step.steps})` : step.text));
}

describe('a story', () => {
  test('reads like this', async () => {
    const story = await storyOf(hostLoser, 'host.reaches-sub-agents', { ...plain, runs: [agent('planner', [ask(agent('writer', [pass]))])] });
    expect(renderStory({ ...story, token: 'TOKEN' })).toBe(`✗ host.reaches-sub-agents MUST
  ${story.text.slice(0, story.text.lastIndexOf(' ', 78))}
  ${story.text.slice(story.text.lastIndexOf(' ', 78) + 1)}

  What was seen instead
    r0/0.0:0.0 was handed no host value.

  What happened
     1. the caller runs planner (r0)
     2. planner (r0) asks writer (r0/0.0)
     3. writer (r0/0.0) begins
     4. writer (r0/0.0) calls a tool
  >  5. writer's (r0/0.0) tool is handed no host value
     6. writer's (r0/0.0) tool runs
     7. writer (r0/0.0) is told: the tool is done
     8. writer (r0/0.0) answers
     9. planner (r0) is told: writer answered
    10. planner (r0) answers
    11. the run of planner (r0) is completed

  Why it matters
    The sub-agent runs without its tenant or its session: it fails, or it works
    for the wrong one.

  What to check in your implementation
    Does the tool that delegates pass on what it was handed, in the same shape,
    when it starts the sub-agent?

  The scenario
    planner { ask writer { call a tool } }

  To enact it again
    npx delegation-tck replay TOKEN`);
  });

  test('marks exactly one step', async () => {
    const story = await storyOf(hostLoser, 'host.reaches-any-depth', { ...plain, runs: [agent('planner', [ask(agent('writer', [ask(agent('critic', [pass], [pass]))]))])] });
    expect(story.steps.filter((step) => step.kind === 'step' && step.offending)).toHaveLength(1);
  });

  test('is plain data', async () => {
    const story = await storyOf(hostLoser, 'host.reaches-sub-agents', { ...plain, runs: [agent('planner', [ask(agent('writer', [pass]))])] });
    expect(JSON.parse(JSON.stringify(story))).toEqual(story);
  });

  test('is coloured only on demand', async () => {
    const story = await storyOf(hostLoser, 'host.reaches-sub-agents', { ...plain, runs: [agent('planner', [ask(agent('writer', [pass]))])] });
    expect(renderStory(story)).not.toContain('\u001B');
    expect(renderStory(story, true)).toContain('\u001B[');
  });
});

describe('the steps', () => {
  test('tell who wrote what a tool found', async () => {
    const steps = await told({ ...plain, runs: [agent('planner', [append], [ask(agent('writer', [append], [read]))])] });
    expect(steps).toContain("writer's (r0/1.0) tool reads log, and finds planner's entry r0:0.0 and its own entry r0/1.0:0.0");
  });

  test('tell dependencies, failures and aborts', async () => {
    const steps = await told({
      ...plain,
      runs: [agent('planner', [{ kind: 'probe', op: { kind: 'dep', key: 'clock' } }], [{ kind: 'probe', op: { kind: 'fail' } }], [{ kind: 'probe', op: { kind: 'abort' } }])],
    });
    expect(steps).toContain("planner's (r0) tool looks up the dependency clock, and gets its own run's");
    expect(steps).toContain("planner's (r0) tool fails");
    expect(steps).toContain("planner's (r0) tool runs, and the caller aborts the run");
    expect(steps.at(-1)).toMatch(/^the run of planner \(r0\) is cancelled with ".*The caller aborted the run\."$/);
  });

  test('tell a refusal in the words that the model was told', async () => {
    const steps = await told({ ...plain, limits: { depth: 1 }, runs: [agent('planner', [ask(agent('writer', [ask(agent('critic'))]))])] });
    expect(steps).toContainEqual(expect.stringMatching(/^writer \(r0\/0\.0\) is told: critic was refused: ".*depth/));
  });

  test('tell what was spent where that matters', async () => {
    const steps = await told({ ...plain, runs: [agent('planner', [ask(agent('writer'))])] }, { host: false, usage: true, events: false });
    expect(steps).toContainEqual(expect.stringMatching(/^writer \(r0\/0\.0\) answers \(spent \d+ in and \d+ out\)$/));
    expect(steps.at(-1)).toMatch(/the runtime reports own \d+ in and \d+ out, in total \d+ in and \d+ out \(for writer \(r0\/0\.0\): own/);
  });

  test('leave out the middle of a long run', async () => {
    const steps = await told({ ...plain, runs: [agent('planner', ...Array.from({ length: 30 }, () => [pass]))] });
    expect(steps.length).toBeLessThan(20);
    expect(steps).toContainEqual(expect.stringMatching(/^\(\d+\)$/));
  });
});

describe('the program', () => {
  const lines = (scenario: Partial<Scenario> & Pick<Scenario, 'runs'>, width = 76): readonly string[] => programOf({ ...plain, ...scenario }, width);

  test('tells turns in order and the calls of a turn together', () => {
    expect(lines({ runs: [agent('planner', [append], [ask(agent('writer', [read])), pass])] })).toEqual([
      'planner { append log; together { ask writer { read log }, call a tool } }',
    ]);
  });

  test('breaks where it does not fit', () => {
    expect(lines({ runs: [agent('planner', [append], [ask(agent('writer', [read])), pass])] }, 40)).toEqual([
      'planner {',
      '  append log;',
      '  together {',
      '    ask writer { read log },',
      '    call a tool',
      '  }',
      '}',
    ]);
  });

  test('tells recursion, endings, composites and settings', () => {
    const writer: Task = { kind: 'agent', agent: 'writer', turns: [[{ kind: 'recurse', up: 2 }]], ending: 'forever', usage: 'nan' };
    expect(
      lines({ runs: [agent('planner', [{ kind: 'recurse', up: 1 }], [ask(writer)])] })
        .join(' ')
        .replace(/\s+/g, ' '),
    ).toBe('planner { ask itself to do all this again; ask writer { ask planner to do all of that again; start over, for ever; its model reports NaN as usage } }');
    expect(
      lines({ runs: [{ kind: 'loop', times: 3, parts: [agent('writer')] }], host: 'none', limits: { depth: 2 }, agents: { writer: { limits: { visits: 1 } } }, schedule: [1, 0] }),
    ).toEqual(['loop 3 times { writer { answer } }', 'host: none · limits: depth 2 · limits of writer: visits 1 · order: 1 0']);
  });

  test('names runs when there are several', () => {
    expect(lines({ runs: [agent('planner'), agent('planner', [pass])] })).toEqual(['run 0: planner { answer }', 'run 1: planner { call a tool }']);
  });
});
