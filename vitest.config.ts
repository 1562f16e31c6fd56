import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/package/project/**'],
    // Node runs the sources as they are, here as in the processes that tests start: so formulas print the same everywhere, and c8 adds
    // up the coverage of both. It sees nothing of what vitest's forks run.
    experimental: { viteModuleRunner: false },
    pool: 'threads',
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
