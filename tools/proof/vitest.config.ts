import { defineConfig } from 'vitest/config';

export default defineConfig(({ mode }) => {
  return {
    test: {
      include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
      // `--mode nightly` runs the short form of every proof, which takes a minute each.
      provide: { isNightly: mode === 'nightly' },
      // No file replaces anything in a module, so that they can share loaded modules.
      isolate: false,
      // Only what hangs takes this long, even on a busy machine.
      testTimeout: 600_000,
      hookTimeout: 600_000,
    },
  };
});
