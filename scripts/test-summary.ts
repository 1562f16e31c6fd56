// Reads what vitest's json reporter wrote and prints `N passed, N failed`. `test-summary.ts RESULTS [FAILED-STEPS…]`: a step
// of CI that failed counts as one failure, so that the line never looks better than the exit code.
import { existsSync, readFileSync } from 'node:fs';

interface Results {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly name: string; readonly status: string; readonly assertionResults: readonly { readonly status: string }[] }[];
}

const [file = '', ...failedSteps] = process.argv.slice(2);
const results: Results = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { numPassedTests: 0, numFailedTests: 0, testResults: [] };
/** Files that failed as a whole: they do not load, or a hook threw. No test of theirs says so. */
const broken = results.testResults.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'));
const inTests = results.numFailedTests + broken.length;
/** A failed test run is in the count already, when it could tell what failed. */
const steps = failedSteps.filter((step) => step !== 'test' || inTests === 0);

for (const { name } of broken) console.log(`failed file: ${name}`);
for (const step of failedSteps) console.log(`failed step: ${step}`);
console.log(`${results.numPassedTests} passed, ${inTests + steps.length} failed`);
