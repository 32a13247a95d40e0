import { defineConfig } from 'vitest/config';

export default defineConfig(({ mode }) => {
  const isNightly = mode === 'nightly';
  return {
    test: {
      include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
      // The short form of every proof takes a minute. By default some run with the fewest trials that show something, and
      // `--mode nightly` runs them all.
      exclude: isNightly ? [] : ['test/nightly/**'],
      provide: { isNightly },
      // No file replaces anything in a module, so that they can share loaded modules.
      isolate: false,
      // Only what hangs takes this long, even on a busy machine.
      testTimeout: 600_000,
      hookTimeout: 600_000,
    },
  };
});
