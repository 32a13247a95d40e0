import { defineConfig } from 'vitest/config';

/** The tests that a change of the code must fail, for `pnpm test:on mutation`: those that are quick, and read no files. */
export default defineConfig({
  resolve: { conditions: ['@plant-store/source'] },
  ssr: { resolve: { conditions: ['@plant-store/source'] } },
  test: {
    include: ['src/**/*.test.ts'],
    exclude: ['src/index.test.ts'],
    // However busy the machine is.
    testTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
