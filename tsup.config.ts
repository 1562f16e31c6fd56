import { defineConfig, type Options } from 'tsup';

const library = {
  index: 'conformance/index.ts',
  vitest: 'conformance/vitest.ts',
  reference: 'reference/index.ts',
  'reference/otel': 'reference/otel.ts',
  spec: 'spec/index.ts',
  'adapters/reference': 'adapters/reference/index.ts',
  'adapters/ai-sdk': 'adapters/ai-sdk/index.ts',
};

/** esbuild writes `undefined` as `void 0`; but `delegation-tck spec` prints formulas as they are in here. */
const sayUndefined: NonNullable<Options['plugins']>[number] = {
  name: 'say-undefined',
  renderChunk: (code) => ({ code: code.replaceAll(/\bvoid 0\b/g, 'undefined') }),
};

export default defineConfig({
  entry: { ...library, cli: 'conformance/cli.ts' },
  dts: { entry: library },
  format: 'esm',
  platform: 'node',
  target: 'node22',
  splitting: true,
  clean: true,
  // Formulas are printed: no minifying, and no `keepNames`, which would scatter calls of its own over them.
  minify: false,
  keepNames: false,
  plugins: [sayUndefined],
  tsconfig: 'tsconfig.build.json',
});
