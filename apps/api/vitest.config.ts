import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { engines, type TestEngine } from './test/support/database/engines.js';
import { LongestFirst } from './test/support/longest-first.js';

const httpTests = 'test/http/**/*.test.ts';
const conformanceTests = 'src/database/conformance/**/*.test.ts';

/** Tests that need a program of the system or a cluster, each group run by a mode of its own: `--mode browser`. */
const testsByMode: Readonly<Record<string, string>> = {
  browser: 'test/browser/**/*.test.ts',
  citus: 'test/citus/**/*.test.ts',
  monitoring: 'test/monitoring/**/*.test.ts',
  'load-balancing': 'test/load-balancing/**/*.test.ts',
  release: 'test/release/**/*.test.ts',
  systemd: 'test/systemd/**/*.test.ts',
  workers: httpTests,
};

export default defineConfig(({ mode }) => {
  const testsOfMode = testsByMode[mode];
  return {
    test: {
      // Starts a PostgreSQL server, so that none is needed on the machine.
      globalSetup: [
        'test/support/postgresql/global-setup.ts',
        ...(mode === 'citus' ? ['test/support/postgresql/citus-setup.ts'] : []),
      ],
      // Long enough for that server to stop on a slow machine.
      teardownTimeout: 120_000,
      // Many tests spend their time waiting for a process or for the end of an outage, so twice as many run as there are
      // cores. As a percentage it would be limited to that number.
      maxWorkers: 2 * availableParallelism(),
      sequence: { sequencer: LongestFirst },
      // CI compares the number of tests with the one in .ci/test-counts.json; side by side, each run has a file of its own.
      reporters: testsOfMode
        ? ['default']
        : ['default', ['json', { outputFile: process.env['TEST_RESULTS'] ?? 'test-results.json' }]],
      // `pnpm coverage`; what is generated has no tests of its own. Processes that tests start count too: they run the
      // bundle in `dist`, whose source maps lead back to `src`.
      coverage: {
        provider: 'v8',
        include: ['src/**/*.ts', 'dist/*.js'],
        autoAttachSubprocess: true,
        excludeAfterRemap: true,
        exclude: ['**/*.test.ts', '**/*.test-d.ts', '**/generated/**'],
        reporter: ['text-summary'],
        thresholds: { lines: 95, branches: 90 },
      },
      projects: testsOfMode
        ? [
            ...(mode === 'workers' ? [] : [createProject(mode, 'sqlite', { include: [testsOfMode] })]),
            // The API is the same with workers, on every engine.
            ...(mode === 'workers' ? engines.map(createWorkersProject) : []),
            // What holds for every engine holds on a cluster, too.
            ...(mode === 'citus'
              ? [
                  createProject('citus-store', 'citus', {
                    include: [httpTests, conformanceTests],
                    isolate: false,
                  }),
                ]
              : []),
          ]
        : [
            // The API behaves the same on every engine, so its tests run once for each.
            // They keep no state in modules, so the files can share loaded modules.
            ...engines.map((engine) =>
              createProject(engine, engine, { include: [httpTests], isolate: false }),
            ),
            // The same once more without the shortcuts that `FAST_PATH=off` switches off.
            createProject('sqlite-plain', 'sqlite', { include: [httpTests], isolate: false }, 'off'),
            createProject('api', 'sqlite', {
              include: ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts'],
              exclude: Object.values(testsByMode),
              // Each file restores what it replaces, so that they, too, can share loaded modules.
              isolate: false,
              setupFiles: ['test/support/restore-mocks.ts'],
            }),
          ],
    },
  };
});

/** The tests of the API with two worker processes, which run the built command. */
function createWorkersProject(engine: TestEngine): TestProjectInlineConfiguration {
  return createProject(`${engine}-workers`, engine, { include: [httpTests], isolate: false }, 'on', 2);
}

/** A group of test files, and the engine of the services that they start. */
function createProject(
  name: string,
  engine: TestEngine,
  options: { include: string[]; exclude?: string[]; isolate?: boolean; setupFiles?: string[] },
  fastPath: 'on' | 'off' = 'on',
  workers = 1,
): TestProjectInlineConfiguration {
  return {
    resolve: { conditions: ['@plant-store/source'] },
    ssr: { resolve: { conditions: ['@plant-store/source'] } },
    test: {
      name,
      ...options,
      provide: { engine, fastPath, workers },
      // Only a test that hangs takes this long, even on a machine that is ten times slower than usual.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 240_000 } },
    },
  };
}
