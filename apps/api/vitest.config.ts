import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { type Engine, engines } from './test/support/database/engines.js';

const httpTests = 'test/http/**/*.test.ts';
const browserTests = 'test/browser/**/*.test.ts';

/** `--mode browser` runs the tests that need Chromium, and only those; every other run leaves them out. */
export default defineConfig(({ mode }) => ({
  test: {
    // A PostgreSQL of its own, which needs none on the machine.
    globalSetup: ['test/support/postgresql/global-setup.ts'],
    // Many tests wait for a process, or for the end of an outage.
    maxWorkers: '100%',
    // CI compares the number of tests with the one in .ci/test-counts.json.
    reporters: mode === 'browser' ? ['default'] : ['default', ['json', { outputFile: 'test-results.json' }]],
    projects:
      mode === 'browser'
        ? [createProject('browser', 'sqlite', { include: [browserTests] })]
        : [
            // What the API promises holds on every engine: the same tests, once for each.
            // These files keep no state in modules, which so need not be loaded anew for each of them.
            ...engines.map((engine) =>
              createProject(engine, engine, { include: [httpTests], isolate: false }),
            ),
            // The same once more without the shortcuts that `FAST_PATH=off` switches off.
            createProject('sqlite-plain', 'sqlite', { include: [httpTests], isolate: false }, 'off'),
            createProject('api', 'sqlite', {
              include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
              exclude: [httpTests, browserTests],
            }),
          ],
  },
}));

/** A group of test files, and the engine that the services use which they start. */
function createProject(
  name: string,
  engine: Engine,
  options: { include: string[]; exclude?: string[]; isolate?: boolean },
  fastPath: 'on' | 'off' = 'on',
): TestProjectInlineConfiguration {
  return {
    resolve: { conditions: ['@plant-store/source'] },
    ssr: { resolve: { conditions: ['@plant-store/source'] } },
    test: {
      name,
      ...options,
      provide: { engine, fastPath },
      // Only what hangs takes this long, however busy the machine is.
      testTimeout: 60_000,
      hookTimeout: 60_000,
    },
  };
}
