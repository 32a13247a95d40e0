import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['@plant-store/source'] },
  ssr: { resolve: { conditions: ['@plant-store/source'] } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Some tests start processes, one after the other.
    testTimeout: 60_000,
  },
});
