import { expect, test } from 'vitest';
import { version } from '../../reference/index.ts';
import manifest from '../../package.json' with { type: 'json' };

test('the version of the runtime is the version of the package', () => {
  expect(version).toBe(manifest.version);
});
