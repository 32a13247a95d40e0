import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // CI compares the number of tests with the one in .ci/test-counts.json.
    reporters: ['default', ['json', { outputFile: 'test-results.json' }]],
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Only a test that hangs takes this long, even on a busy machine.
    testTimeout: 600_000,
  },
});
