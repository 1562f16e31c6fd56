// Needs the optional peers `ai` and `vitest`.
import aiSdk from 'delegation-tck/adapters/ai-sdk';
import reference from 'delegation-tck/adapters/reference';
import { describeConformance } from 'delegation-tck/vitest';
import { expect, test } from 'vitest';

test('the AI SDK adapter loads next to the AI SDK', () => {
  expect(aiSdk.version).toMatch(/^7\./);
});

describeConformance(reference);
