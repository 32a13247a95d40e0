import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    reporters: ['default', '../../.ci/stuck-reporter.ts'],
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // No file replaces anything in a module, so that they can share loaded modules.
    isolate: false,
    // Only what hangs takes this long, even on a busy machine.
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
