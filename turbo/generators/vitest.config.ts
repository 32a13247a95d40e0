import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // They check types and run tests of whole workspaces. Only a test that hangs takes this long, even on a slow machine.
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
});
