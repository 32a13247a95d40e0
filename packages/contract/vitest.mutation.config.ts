import { defineConfig } from 'vitest/config';

/** The tests that a change of the code must fail, for `pnpm test:on mutation`: those of `pnpm test` that are quick and need no types. */
export default defineConfig({
  resolve: { conditions: ['@plant-store/source'] },
  ssr: { resolve: { conditions: ['@plant-store/source'] } },
  test: { include: ['src/**/*.test.ts'] },
});
