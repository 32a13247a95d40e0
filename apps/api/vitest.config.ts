import { defineConfig } from 'vitest/config';

/** `--mode browser` runs the tests that need Chromium, and only those; every other run leaves them out. */
export default defineConfig(({ mode }) => ({
  resolve: { conditions: ['@plant-store/source'] },
  ssr: { resolve: { conditions: ['@plant-store/source'] } },
  test: {
    ...(mode === 'browser'
      ? { include: ['test/browser/**/*.test.ts'] }
      : { include: ['src/**/*.test.ts', 'test/**/*.test.ts'], exclude: ['test/browser/**'] }),
    // A PostgreSQL of its own, which needs none on the machine.
    globalSetup: ['test/postgresql/global-setup.ts'],
    // Only a test that hangs takes this long, however busy the machine is.
    testTimeout: 60_000,
  },
}));
