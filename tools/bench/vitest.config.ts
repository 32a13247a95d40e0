import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Only what hangs takes this long, even on a busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
