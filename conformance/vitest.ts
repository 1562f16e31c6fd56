import { beforeAll, describe, test } from 'vitest';
import { chapters } from '../spec/index.ts';
import type { Adapter } from '../spec/model/ports.ts';
import type { Chapter, Requirement } from '../spec/model/requirement.ts';
import { type Baseline, NO_BASELINE } from './baseline.ts';
import type { RequirementVerdict } from './certificate.ts';
import { allRequirements, certify } from './certify.ts';
import { checkAdapter } from './define-adapter.ts';
import { storiesOf } from './stories.ts';
import { renderStory, type Story } from './story.ts';
import { UsageError } from './usage-error.ts';

export interface DescribeOptions {
  /** The seed that scenarios are generated from; the kit's own when absent. */
  readonly seed?: number | undefined;
  /** How many scenarios to generate; 300 when absent. */
  readonly cases?: number | undefined;
  /** Only these chapters; all when absent. */
  readonly chapters?: readonly string[] | undefined;
  /** Violations that are known: their tests pass, and fail once the runtime mends its ways. */
  readonly baseline?: Baseline | undefined;
  /** How the adapter is named in replay tokens: its path from where `delegation-tck replay` is run. */
  readonly adapterPath?: string | undefined;
  /** How many milliseconds the whole certification may take; 120 000 when absent. */
  readonly timeout?: number | undefined;
}

/** A certified run, as tests ask about it. */
interface Findings {
  readonly verdicts: ReadonlyMap<string, RequirementVerdict>;
  readonly stories: ReadonlyMap<string, Story>;
}

/**
 * Registers one suite for each chapter and one test for each requirement. The runtime is certified once, in this
 * process, before the first test. A violation fails with its story; what does not apply is skipped with the reason.
 * @throws UsageError when the adapter's shape is wrong, or a chapter or an id of the baseline does not exist.
 */
export function describeConformance(adapter: Adapter, options: DescribeOptions = {}): void {
  checkAdapter(adapter);
  const wanted = chosen(options.chapters);
  const known = reasons(options.baseline ?? NO_BASELINE);
  describe(`${adapter.name} ${adapter.version}`, () => {
    let findings: Findings;
    beforeAll(async () => {
      findings = await find(
        adapter,
        wanted.flatMap(({ requirements }) => requirements),
        options,
      );
    }, options.timeout ?? 120_000);
    for (const { name, requirements } of wanted) {
      describe(name, () => {
        for (const { id, text } of requirements) {
          test(`${id}: ${text}`, ({ skip }) => {
            const verdict = findings.verdicts.get(id);
            if (verdict?.verdict === 'inapplicable' && !known.has(id)) skip(verdict.because);
            const failure = failureOf(verdict, findings.stories.get(id), known.get(id));
            if (failure !== undefined) throw new ConformanceError(failure);
          });
        }
      });
    }
  });
}

/** Why a test fails. It points at the runtime, so it has no stack of its own. */
class ConformanceError extends Error {
  override readonly name = 'ConformanceError';

  constructor(message: string) {
    super(message);
    this.stack = `${this.name}: ${message}`;
  }
}

async function find(adapter: Adapter, requirements: readonly Requirement[], { seed, cases, adapterPath }: DescribeOptions): Promise<Findings> {
  const certificate = await certify(adapter, { seed, cases, adapterPath, requirements });
  const stories = await Array.fromAsync(storiesOf(adapter, certificate));
  return { verdicts: new Map(certificate.verdicts.map((verdict) => [verdict.id, verdict])), stories: new Map(stories.map((story) => [story.id, story])) };
}

/** Why a verdict fails its test; `undefined` when it does not. */
function failureOf(verdict: RequirementVerdict | undefined, story: Story | undefined, known: string | undefined): string | undefined {
  if (!verdict) return 'There is no verdict.';
  if (verdict.verdict === 'violated') return known === undefined ? (story ? renderStory(story) : (verdict.because ?? '')) : undefined;
  if (verdict.verdict === 'holds' || verdict.verdict === 'inapplicable')
    return known === undefined ? undefined : `The baseline lists it (${known}), but it is no longer violated. Take it off the list.`;
  return `${verdict.verdict}: ${verdict.because}`;
}

function chosen(named: readonly string[] | undefined): readonly Chapter[] {
  const all: readonly Chapter[] = chapters;
  const unknown = named?.find((name) => !all.some((chapter) => chapter.name === name));
  if (unknown !== undefined) throw new UsageError(`There is no chapter ${JSON.stringify(unknown)}. There are ${all.map(({ name }) => name).join(', ')}.`);
  return all.filter(({ name }) => named?.includes(name) ?? true);
}

function reasons({ violations }: Baseline): ReadonlyMap<string, string> {
  const unknown = violations.find(({ id }) => !allRequirements.some((requirement) => requirement.id === id));
  if (unknown) throw new UsageError(`The baseline lists ${JSON.stringify(unknown.id)}, which is no requirement.`);
  return new Map(violations.map(({ id, reason }) => [id, reason]));
}
