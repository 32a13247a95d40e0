import { defineConfig } from 'vitest/config';

/**
 * The tests that a change of the code must fail, for `pnpm test:on mutation`: those of `pnpm test` that are quick and need no types.
 * That of memory counts what the changed code allocates to report that it runs.
 */
export default defineConfig({
  resolve: { conditions: ['@plant-store/source'] },
  ssr: { resolve: { conditions: ['@plant-store/source'] } },
  test: {
    include: ['src/**/*.test.ts'],
    exclude: ['src/exact-json/parse-memory.test.ts'],
    // However busy the machine is.
    testTimeout: 60_000,
  },
});
