import { defineConfig } from 'vitest/config';

/** Tests what this package does for each request, with the client's fake plant store: `pnpm test` runs them there, and coverage also here. */
const operationCases = '../client/src/testing/operation-cases.test.ts';

export default defineConfig({
  resolve: { conditions: ['@plant-store/source'] },
  ssr: { resolve: { conditions: ['@plant-store/source'] } },
  test: {
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.test-d.ts'],
      reporter: ['text-summary'],
      thresholds: { lines: 95, branches: 90 },
    },
    include: ['src/**/*.test.ts', ...(process.argv.includes('--coverage') ? [operationCases] : [])],
    // They keep no state in modules.
    isolate: false,
    // Only what hangs takes this long, however busy the machine is.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    typecheck: {
      enabled: true,
      include: ['src/**/*.test-d.ts'],
      tsconfig: 'tsconfig.type-tests.json',
    },
  },
});
