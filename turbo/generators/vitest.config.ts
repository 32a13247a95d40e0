import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // CI compares the number of tests with the one in .ci/test-counts.json.
    reporters: ['default', ['json', { outputFile: 'test-results.json' }]],
    // They check types and run tests of whole workspaces. Only a test that hangs takes this long, even on a slow machine.
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
});
