import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { addField } from '../../packages/contract/test/add-field.js';
import { engines, type TestEngine } from './test/support/database/engines.js';

const httpTests = 'test/http/**/*.test.ts';
const conformanceTests = 'src/store/conformance/**/*.test.ts';

/** The tests of the API whose outcome does not depend on the engine; they run on SQLite alone. */
const independentTests = [
  'authentication-limit',
  'body-size',
  'cross-origin',
  'error-page',
  'malformed-http',
  'otlp',
  'own-token',
  'rate-limit',
  'raw-requests',
  'request-cases',
  'request-log',
  'served-files',
  'shutdown',
  'token-secrecy',
].map(toHttpTest);

/** The tests of limits that workers share. */
const sharedLimitTests = ['authentication-limit', 'rate-limit'].map(toHttpTest);

/** The tests of what worker processes share or report together; `full` runs all others with workers, too. */
const workersTests = ['changes', 'metrics', 'otlp', 'readiness', 'request-log', 'shutdown', 'tokens'].map(
  toHttpTest,
);

/** The ends of the paths of the slowest test files. They start first, because a run would wait for them at its end. */
const longest = [
  'test/process/endless-tests.test.ts',
  'test/process/workers.test.ts',
  'test/process/missing-standby.test.ts',
  'test/process/otlp.test.ts',
  'test/process/postgresql-outages.test.ts',
  'src/store/conformance/store-list.test.ts',
  'test/cli/backup-places.test.ts',
  'test/cli/backup.test.ts',
  'test/http/other-callers.test.ts',
  'src/store/conformance/store-remove.test.ts',
  'test/cli/command-line.test.ts',
  'test/http/complete-lists.test.ts',
  'test/structure/linear-expressions.test.ts',
  'test/service/postgresql-away.test.ts',
  'test/browser/viewer-accessibility.test.ts',
  'test/browser/documentation.test.ts',
  'test/browser/page/import-interrupted.test.ts',
  'test/browser/page/states.test.ts',
];

/** Starts the slowest files first. Without known durations, as in CI, Vitest starts the largest files first. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    const rank = ({ moduleId }: TestSpecification) => {
      const index = longest.findIndex((path) => moduleId.endsWith(`/${path}`));
      return index < 0 ? longest.length : index;
    };
    return sorted.toSorted(
      (a, b) => projects.indexOf(a.project.name) - projects.indexOf(b.project.name) || rank(a) - rank(b),
    );
  }
}

/** Tests that need a system program, a cluster, or minutes. Each folder has its own mode, such as `--mode browser`. */
const testsOf = (mode: string) => `test/${mode}/**/*.test.ts`;

/** A test that needs a written release, like those of the mode `release`. */
const writeRelease = 'scripts/release/write-release.test.ts';
const programModes = [
  'browser',
  'debian',
  'load-balancing',
  'monitoring',
  'other-browsers',
  'process',
  'recordings',
  'release',
  'systemd',
];

/** What `pnpm test` runs. */
function testProjects(): TestProjectInlineConfiguration[] {
  return [
    // The HTTP tests on SQLite share the processes of the other tests, because each process takes a second to load.
    createProject('sqlite', 'sqlite', {
      include: ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'test/**/*.test.ts'],
      exclude: [...['citus', 'added-field', 'fuzz', ...programModes].map(testsOf), writeRelease],
      // Each file restores its mocks, so that files can share loaded modules.
      isolate: false,
      setupFiles: ['test/support/restore-mocks.ts'],
    }),
    createHttpProject('postgresql', [httpTests], { exclude: independentTests }),
    // A plant with one more field.
    {
      ...createProject('added-field', 'sqlite', { include: [testsOf('added-field')] }),
      plugins: [addField()],
    },
  ];
}

/** What modes run. */
const projectsByMode: Record<string, () => TestProjectInlineConfiguration[]> = {
  workers: () => engines.map((engine) => createHttpProject(engine, workersTests, { workers: 2 })),
  // All API tests in the ways that `pnpm test` does not run them.
  full: () => [
    createHttpProject('postgresql', [httpTests]),
    createHttpProject('sqlite', [httpTests], { fastPath: 'off' }),
    ...engines.map((engine) =>
      createHttpProject(engine, [httpTests], { workers: 2, exclude: sharedLimitTests }),
    ),
  ],
  fuzz: () => engines.map((engine) => createProject(engine, engine, { include: [testsOf('fuzz')] })),
  // The tests of all engines, on a Citus cluster.
  citus: () => [
    createProject('citus', 'sqlite', { include: [testsOf('citus')] }),
    createProject('citus-store', 'citus', { include: [httpTests, conformanceTests], isolate: false }),
  ],
};
for (const mode of programModes) {
  const include = [testsOf(mode), ...(mode === 'release' ? [writeRelease] : [])];
  projectsByMode[mode] = () => [createProject(mode, 'sqlite', { include })];
}

export default defineConfig(({ mode }) => {
  // Other modes come from tools that read this file, such as knip.
  const projects = (projectsByMode[mode] ?? testProjects)();
  return {
    test: {
      // `pnpm test` sets its own reporters on its command line.
      reporters: ['default', '../../.ci/stuck-reporter.ts'],
      // Starts a PostgreSQL server, so that none is needed on the machine.
      globalSetup: [
        'test/support/postgresql/global-setup.ts',
        ...(mode === 'citus' ? ['test/support/postgresql/citus-setup.ts'] : []),
        ...(mode === 'release' || mode === 'debian' ? ['test/support/release/global-setup.ts'] : []),
      ],
      // Long enough for that server to stop on a slow machine.
      teardownTimeout: 120_000,
      // Many tests spend their time waiting for a process or for the end of an outage, so twice as many run as there are
      // cores. As a percentage it would be limited to that number.
      maxWorkers: 2 * availableParallelism(),
      sequence: { sequencer: LongestFirst },
      // `pnpm test:on coverage`; what is generated has no tests of its own. Processes that tests start count too: they run the
      // bundle in `dist`, whose source maps lead back to `src`.
      coverage: {
        provider: 'custom',
        customProviderModule: 'test/support/coverage-provider.ts',
        include: ['src/**/*.ts', 'dist/*.js'],
        autoAttachSubprocess: true,
        excludeAfterRemap: true,
        exclude: ['**/*.test.ts', '**/*.test-d.ts', '**/generated/**'],
        reporter: ['text-summary'],
        thresholds: { lines: 95, branches: 90 },
      },
      projects,
    },
  };
});

/** @throws {Error} when there is no such test */
function toHttpTest(name: string): string {
  const path = `test/http/${name}.test.ts`;
  if (!existsSync(join(import.meta.dirname, path)))
    throw new Error(`vitest.config.ts names ${path}, which does not exist`);
  return path;
}

/** Tests of the API on an engine. They keep no state in modules, so the files can share loaded modules. */
function createHttpProject(
  engine: TestEngine,
  include: string[],
  options: { workers?: number; fastPath?: 'on' | 'off'; exclude?: string[] } = {},
): TestProjectInlineConfiguration {
  const { workers = 1, fastPath = 'on', exclude = [] } = options;
  const name = `${engine}${workers > 1 ? '-workers' : ''}${fastPath === 'off' ? '-plain' : ''}`;
  return createProject(name, engine, { include, exclude, isolate: false }, fastPath, workers);
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
      // Only a test that hangs takes this long, even on a machine that is ten times slower.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 240_000 } },
    },
  };
}
