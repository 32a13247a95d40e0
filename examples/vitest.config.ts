import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Many tests spend their time waiting for a process.
    maxWorkers: '100%',
    include: ['test/**/*.test.ts'],
    // Only a test that hangs takes this long, even on a machine that is ten times slower than usual.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
