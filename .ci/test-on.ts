// Runs tests that need more than `pnpm test` can require: time, system programs, or a cluster.
//   pnpm test:on                       lists the targets
//   pnpm test:on <target> [argument…]  passes the arguments on, such as the name of a test file
import { spawnSync } from 'node:child_process';

/** A program and its arguments. */
type Command = readonly string[];

/** A set of tests, and how to run them. */
interface Target {
  readonly about: string;
  /** Run one after the other. The last one gets the arguments of this script. */
  readonly commands: readonly Command[];
}

const buildApi: Command = ['turbo', 'run', 'build', '--filter=@plant-store/api'];
const buildAll: Command = ['turbo', 'run', 'build'];
const inPackaging = (script: string): Command => [
  'pnpm',
  '--filter',
  '@plant-store/packaging',
  'run',
  script,
];
const inExamples = (...command: Command): Command => ['pnpm', '--dir', 'examples', ...command];

/** Returns the name and the target of the service tests in a vitest mode. */
function mode(name: string, about: string): readonly [string, Target] {
  const run: Command = ['pnpm', '--filter', '@plant-store/api', 'exec', 'vitest', 'run', '--mode', name];
  return [name, { about, commands: [buildApi, run] }];
}

const targets = new Map<string, Target>([
  mode('browser', 'the page and the client in Chromium: Debian’s chromium, or that of CHROMIUM_PATH'),
  mode(
    'other-browsers',
    'the main ways through the page in Firefox and WebKit, and sign-ins in these and Chromium: Debian’s firefox-esr, webkit2gtk-driver, xvfb, xauth, and chromium',
  ),
  mode(
    'process',
    'built processes: signals, kills, workers, several instances, PostgreSQL servers that go down',
  ),
  mode('workers', 'what worker processes may change, on each engine'),
  mode('full', 'all tests of the API on PostgreSQL, without the fast path, and with workers'),
  mode('release', 'the release folder and the image: Linux, root and the right to mount'),
  mode('fuzz', 'generated requests of all kinds, on each engine: FUZZ_REQUESTS of them, 100,000 by default'),
  mode('monitoring', 'metrics, alerts and dashboard: Debian’s prometheus'),
  mode(
    'recordings',
    'records the outages that `monitoring` tests the alerts with: root and half an hour; RECORD=disk-full-1,slow for two of them',
  ),
  mode(
    'debian',
    'the package for Debian, in a Debian 13 that boots: Debian’s mmdebstrap, systemd-container and lintian, root, a mirror',
  ),
  mode(
    'load-balancing',
    'behind HAProxy, nginx, Caddy and Apache: Debian’s haproxy, nginx-light, caddy and apache2',
  ),
  mode('systemd', 'the systemd units: Debian’s systemd'),
  mode('citus', 'a Citus cluster, whose coordinator CITUS_URL names'),
  [
    'translated',
    {
      about: 'the tests of the page while the browser translates it',
      commands: [
        [
          'pnpm',
          '--dir',
          'apps/web',
          'exec',
          'vitest',
          'run',
          '--mode',
          'translated',
          '--project',
          'translated',
        ],
      ],
    },
  ],
  [
    'examples',
    {
      about:
        'each program of examples/ against the real service: curl, python3, go, java with Jackson, and chromium',
      commands: [
        [...buildApi, '--filter=@plant-store/client'],
        inExamples('install', '--frozen-lockfile', '--prefer-offline'),
        inExamples('run', 'typecheck'),
        inExamples('run', 'test'),
      ],
    },
  ],
  [
    'compatibility',
    {
      about: 'the packages with package managers, versions of TypeScript, bundlers and libraries',
      commands: [buildAll, inPackaging('check')],
    },
  ],
  [
    'generators',
    { about: 'what OpenAPI generators make of ids', commands: [buildAll, inPackaging('test:generators')] },
  ],
  [
    'openapi-tools',
    {
      about: 'the requests that Postman, Bruno and others make from the OpenAPI document: npm and curl',
      commands: [buildAll, inPackaging('test:openapi-tools')],
    },
  ],
  [
    'tools',
    {
      about: 'all tests of the proofs and of the benchmark',
      commands: [buildAll, ['pnpm', '--recursive', '--workspace-concurrency=1', 'run', 'test:nightly']],
    },
  ],
  [
    'load',
    {
      about:
        'all of `pnpm test` 10 times, or as often as said, while every core, or as many processes as said, are busy',
      commands: [buildAll, ['node', '.ci/test-under-load.ts']],
    },
  ],
  [
    'coverage',
    { about: 'lines and branches that the tests reach', commands: [['turbo', 'run', 'coverage']] },
  ],
  [
    'mutation',
    {
      about: 'small changes of the code, each of which a test must notice',
      commands: [['turbo', 'run', 'mutation', '--concurrency=1']],
    },
  ],
]);

const [name, ...args] = process.argv.slice(2);
const target = name === undefined ? undefined : targets.get(name);
if (target === undefined) {
  for (const [what, { about }] of targets) console.error(`  ${what.padEnd(15)} ${about}`);
  process.exitCode = name === undefined ? 0 : 2;
} else {
  process.exitCode = runAll(target.commands, args);
}

/** Runs commands until one fails. Returns the exit status of that command, or 0. */
function runAll(commands: readonly Command[], args: readonly string[]): number {
  for (const [index, [program = '', ...own]] of commands.entries()) {
    const passedOn = index === commands.length - 1 ? args : [];
    const { status, error } = spawnSync(program, [...own, ...passedOn], { stdio: 'inherit' });
    if (error) throw error;
    if (status !== 0) return status ?? 1;
  }
  return 0;
}
