/** Who may import whom. The compiler checks the same between the folders (`tsc -b`); here the packages are checked too. */

const outside = (...allowed) => ({ pathNot: allowed });
const packages = (...names) => `^node_modules/(${names.join('|')})/`;

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'spec-stands-alone',
      comment: 'The spec is data, formulas and schemas: it imports zod, and of the AI SDK the type of a language model.',
      severity: 'error',
      from: { path: '^spec/' },
      to: outside('^spec/', packages('zod', '@ai-sdk/provider')),
    },
    {
      name: 'spec-runs-without-the-ai-sdk',
      comment: 'Import types of it only.',
      severity: 'error',
      from: { path: '^spec/' },
      to: { path: packages('@ai-sdk/provider'), dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'vocabulary-knows-no-chapter',
      comment: 'spec/model is what the chapters, the reference and the adapters have in common.',
      severity: 'error',
      from: { path: '^spec/model/' },
      to: { path: '^spec/', pathNot: '^spec/model/' },
    },
    {
      name: 'kit-knows-no-runtime',
      comment: 'The kit judges runtimes; it meets them only through an adapter that it is given.',
      severity: 'error',
      from: { path: '^conformance/' },
      to: { path: ['^(reference|adapters|scripts|test|bench)/', packages('ai')] },
    },
    {
      name: 'vitest-only-in-its-entry',
      comment: 'Whoever certifies from the command line does not have vitest.',
      severity: 'error',
      from: { path: '^(spec|conformance|reference|adapters)/', pathNot: '^conformance/vitest\\.ts$' },
      to: { path: packages('vitest') },
    },
    {
      name: 'opentelemetry-only-in-its-entry',
      comment: 'Whoever runs agents without tracing them does not have it.',
      severity: 'error',
      from: { path: '^(spec|conformance|reference|adapters)/', pathNot: ['^reference/otel\\.ts$', '^adapters/ai-sdk/'] },
      to: { path: ['^reference/otel\\.ts$', packages('@opentelemetry')] },
    },
    {
      name: 'examinee-does-not-read-the-exam',
      comment: 'The reference speaks the vocabulary of the spec and sees no formula.',
      severity: 'error',
      from: { path: '^reference/' },
      to: {
        ...outside('^reference/', '^spec/model/', '^package\\.json$', packages('zod', '@ai-sdk/provider', '@ai-sdk/provider-utils', '@opentelemetry/api')),
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'adapter-offers-one-runtime',
      comment: 'An adapter imports the vocabulary of the spec and the runtime that it is named after.',
      severity: 'error',
      from: { path: '^adapters/([^/]+)/', pathNot: '^adapters/reference-http/' },
      to: { path: ['^(spec|conformance|adapters|scripts|test|bench)/'], pathNot: ['^adapters/$1/', '^spec/model/'] },
    },
    {
      name: 'second-rail-is-the-first-one-over-http',
      comment: 'It is the adapter of the reference with other models, and nothing else.',
      severity: 'error',
      from: { path: '^adapters/reference-http/' },
      to: { path: ['^(spec|conformance|reference|adapters|scripts|test|bench)/'], pathNot: ['^adapters/reference(-http)?/', '^spec/model/'] },
    },
    {
      name: 'only-its-adapter-sees-the-reference',
      comment: 'A real runtime is adapted without help from the reference.',
      severity: 'error',
      from: { path: '^adapters/', pathNot: '^adapters/reference/' },
      to: { path: '^reference/' },
    },
    {
      name: 'published-code-is-self-contained',
      comment: 'The second rail is not published. Elsewhere: add the package to `dependencies`, or to `peerDependencies` when only one entry needs it.',
      severity: 'error',
      from: { path: '^(spec|conformance|reference|adapters)/', pathNot: '^adapters/reference-http/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'npm-optional'], dependencyTypesNot: ['npm', 'npm-peer'] },
    },
    {
      name: 'no-circles',
      comment: 'Files that import each other cannot be read one after the other. Types may.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'everything-resolves',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|build|coverage|test/package/project)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import', 'node', 'default'] },
  },
};
