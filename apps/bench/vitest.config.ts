import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Only a test that hangs takes this long, even on a busy machine.
    testTimeout: 180_000,
  },
});
