import { defineConfig } from 'vitest/config';

/** The tests that must notice mutations (`pnpm test:on mutation`): those of the mutated parts, on SQLite. */
export default defineConfig({
  resolve: { conditions: ['@plant-store/source'] },
  ssr: { resolve: { conditions: ['@plant-store/source'] } },
  test: {
    include: [
      'src/{auth,http}/**/*.test.ts',
      'src/store/commit-queue.test.ts',
      'src/store/conformance/access-token-store.test.ts',
      'test/{http,middleware}/**/*.test.ts',
      'test/jwt/**/*.test.ts',
    ],
    // Compares colors with files of the page, which the sandbox does not have.
    exclude: ['test/http/error-page.test.ts'],
    provide: { engine: 'sqlite', storeEngines: ['sqlite'], fastPath: 'on', workers: 1 },
    setupFiles: ['test/support/restore-mocks.ts'],
    // Many changes make a request wait forever. Without one, the slowest of these tests takes 11 seconds, nearly all waiting.
    testTimeout: 25_000,
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 25_000,
  },
});
