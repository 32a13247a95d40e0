import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Only a test that hangs takes this long, however busy the machine is.
    testTimeout: 60_000,
  },
});
