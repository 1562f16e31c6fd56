import pc from 'picocolors';
import type { Broken, Requirement } from '../spec/model/requirement.ts';
import type { Scenario } from '../spec/model/scenario.ts';
import type { Trace } from '../spec/model/trace.ts';
import { programOf } from './telling/program.ts';
import { type Step, stepsOf } from './telling/steps.ts';
import { hang, WIDTH } from './telling/wrap.ts';

/** A violation, told so that somebody can mend it. Plain data. */
export interface Story {
  readonly id: string;
  readonly level: 'MUST' | 'SHOULD';
  /** The sentence that was broken. */
  readonly text: string;
  readonly why: string;
  /** What was seen instead. */
  readonly instead: string;
  /** What happened, the offending step marked. Empty when no single step is to blame. */
  readonly steps: readonly Step[];
  /** What to look at in the implementation. */
  readonly check: string;
  /** The scenario as a short program, line by line. */
  readonly program: readonly string[];
  readonly token?: string | undefined;
}

/** One enacted case that broke a requirement. */
export interface Telling {
  readonly requirement: Requirement;
  readonly scenario: Scenario;
  readonly trace: Trace;
  readonly broken: Broken;
  readonly token?: string | undefined;
}

/** Tells one violation. */
export function tellStory({ requirement, scenario, trace, broken, token }: Telling): Story {
  const { id, level, text, why, check, needs } = requirement;
  const focus = { host: needs.includes('host'), usage: needs.includes('usage'), events: needs.includes('events') };
  return { id, level, text, why, instead: broken.broken, check, token, steps: stepsOf(scenario, trace, broken.at, focus), program: programOf(scenario, WIDTH - 4) };
}

/** Tells a violation that no single case shows. */
export function tellInBrief({ id, level, text, why, check }: Requirement, instead: string): Story {
  return { id, level, text, why, instead, check, steps: [], program: [] };
}

/** The command that enacts a case again. */
export function replayCommand(token: string): string {
  return `npx delegation-tck replay ${token}`;
}

/** Renders a story; 80 columns wide but for the token. */
export function renderStory(story: Story, colour = false): string {
  const c = pc.createColors(colour);
  const part = (title: string, lines: readonly string[]): readonly string[] => (lines.length === 0 ? [] : ['', `  ${c.bold(title)}`, ...lines]);
  return [
    `${c.red('✗')} ${c.bold(story.id)} ${c.dim(story.level)}`,
    ...hang('  ', story.text),
    ...part('What was seen instead', hang('    ', sentence(story.instead)).map(c.red)),
    ...part(
      'What happened',
      numbered(story.steps).map(({ line, offending }) => (offending ? c.red(line) : line)),
    ),
    ...part('Why it matters', hang('    ', story.why)),
    ...part('What to check in your implementation', hang('    ', story.check)),
    ...part(
      'The scenario',
      story.program.map((line) => `    ${line}`),
    ),
    ...part('To enact it again', story.token === undefined ? [] : [`    ${c.cyan(replayCommand(story.token))}`]),
  ].join('\n');
}

function numbered(steps: readonly Step[]): readonly { readonly line: string; readonly offending: boolean }[] {
  let number = 0;
  return steps.flatMap((step) => {
    if (step.kind === 'gap') {
      number += step.steps;
      return [{ line: `        … ${step.steps} more ${step.steps === 1 ? 'step' : 'steps'} …`, offending: false }];
    }
    const margin = `  ${step.offending ? '>' : ' '} ${String(++number).padStart(2)}. `;
    return hang(margin, step.text).map((line) => ({ line, offending: step.offending }));
  });
}

function sentence(text: string): string {
  const upper = /^[a-z]+ /.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?]$/.test(upper) ? upper : `${upper}.`;
}
