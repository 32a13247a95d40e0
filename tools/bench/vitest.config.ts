import { defineConfig } from 'vitest/config';

export default defineConfig(({ mode }) => {
  const isNightly = mode === 'nightly';
  return {
    test: {
      include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
      // To start and measure every target takes long. By default one of each kind is, and `--mode nightly` runs everything.
      exclude: isNightly ? [] : ['test/nightly/**'],
      provide: { isNightly },
      // No file replaces anything in a module, so that they can share loaded modules.
      isolate: false,
      // Only what hangs takes this long, even on a busy machine.
      testTimeout: 180_000,
      hookTimeout: 180_000,
    },
  };
});
