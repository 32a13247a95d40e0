import { defineConfig } from 'vitest/config';

const oneStore = 'test/one-store.test.ts';

export default defineConfig({
  test: {
    // Many tests spend their time waiting for a process.
    maxWorkers: '100%',
    projects: [
      { extends: true, test: { name: 'each', include: ['test/**/*.test.ts'], exclude: [oneStore] } },
      // After the others, whose builds are in the same folders.
      { extends: true, test: { name: 'one store', include: [oneStore], sequence: { groupOrder: 1 } } },
    ],
    // Only a test that hangs takes this long, even on a machine that is ten times slower than usual.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
