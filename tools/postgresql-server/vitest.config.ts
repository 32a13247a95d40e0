import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    // Only a test that hangs takes this long, even on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
