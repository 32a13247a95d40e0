import { defineConfig } from 'vitest/config';

export default defineConfig(({ mode }) => {
  const isNightly = mode === 'nightly';
  return {
    test: {
      include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
      // To check types and to run tests of whole workspaces takes long. By default that is done with one example of each kind
      // of change, and `--mode nightly` does it with all.
      provide: { isNightly },
      // All files change the same copy of the repository, one after another.
      globalSetup: 'test/support/copy-repository.ts',
      fileParallelism: false,
      // Only a test that hangs takes this long, even on a slow machine.
      testTimeout: 900_000,
      hookTimeout: 900_000,
    },
  };
});
