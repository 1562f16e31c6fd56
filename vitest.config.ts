import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/package/project/**'],
    // c8 sees nothing of what forked processes run through vitest; see `.c8rc.json`.
    pool: 'threads',
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
