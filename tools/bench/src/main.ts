import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { attacks } from './callers/attacks.js';
import { type CallersSettings, measureCallers } from './callers/callers.js';
import { type MixedSettings, measureMixed } from './callers/mixed.js';
import { measureClientSpeed } from './client-speed/client-speed.js';
import { comparePostgresql, compareSqlite } from './comparison/comparison.js';
import type { ComparisonSettings } from './comparison/comparison-results.js';
import { writeChart } from './comparison/write-chart.js';
import type { Environment } from './environment/environment.js';
import { measureGrowth } from './growth/growth.js';
import { measureObservability } from './observability/observability.js';
import { compareOperations } from './operations/operations.js';
import {
  toCheckout,
  toCount,
  toCounts,
  toNames,
  toSeconds,
  toShare,
  toSize,
  toSizes,
  toTargets,
} from './option-values.js';
import { measureOverload } from './overload/overload.js';
import { resultFiles, workFolder } from './paths.js';
import { killProcesses } from './processes/start-process.js';
import { ControlGroupError } from './scaling/cpu-quota.js';
import { measureScaling, type ScalingSettings } from './scaling/scaling.js';
import { measureStartTime } from './start-time/start-time.js';
import { allTargets, postgresqlTargets } from './targets/all-targets.js';
import type { Target } from './targets/target.js';
import { withWorkers } from './targets/with-environment.js';

/**
 * The command line `pnpm bench`. It exits with status 1 when it fails, a target lost an acknowledged plant, or a request of
 * an overload was neither stored nor rejected.
 */
const program = new Command('bench')
  .description('Measure the service beside comparable programs, on this machine and over loopback.')
  .helpCommand(false)
  .showHelpAfterError();

addComparison(
  program
    .command('compare', { isDefault: true })
    .description('send the same load to all targets, and print a table for each number of connections'),
  allTargets,
  compareSqlite,
);

addComparison(
  program
    .command('postgresql')
    .description('the same for the targets that support PostgreSQL, on a server that it starts'),
  postgresqlTargets,
  comparePostgresql,
);

program
  .command('operations')
  .description('measure reads and batches, beside the targets that have them')
  .option('--rounds <count>', 'how often to measure each target', toCount, 5)
  .option('--seconds <count>', 'how long to measure each time', toSeconds, 5)
  .option('--warmup <seconds>', 'how long to warm up before', toSeconds, 3)
  .option('--postgresql', 'on a PostgreSQL server that it starts, with those that support it')
  .action((options: { rounds: number; seconds: number; warmup: number; postgresql?: boolean }) => {
    const { rounds, seconds, warmup, postgresql } = options;
    const settings = { rounds, seconds, warmupSeconds: warmup };
    return compareOperations(settings, createEnvironment(), postgresql === true);
  });

program
  .command('growth')
  .description('measure the service with many plants already stored')
  .option('--rounds <count>', 'how often to measure each size', toCount, 3)
  .option('--seconds <count>', 'how long to measure each time', toSeconds, 10)
  .option('--warmup <seconds>', 'how long to warm up before', toSeconds, 3)
  .option(
    '--plants <counts>',
    'how many plants are stored before, separated by commas',
    toSizes,
    [0, 1_000_000, 10_000_000],
  )
  .action(async (options: { rounds: number; seconds: number; warmup: number; plants: number[] }) => {
    const { rounds, seconds, warmup, plants } = options;
    const settings = { rounds, seconds, warmupSeconds: warmup, plants };
    if (!(await measureGrowth(settings, createEnvironment()))) process.exitCode = 1;
  });

program
  .command('start')
  .description('measure how soon the service replies after its start, and its memory when idle')
  .option('--starts <count>', 'how often to start it', toCount, 10)
  .action((options: { starts: number }) => measureStartTime(options.starts, createEnvironment()));

program
  .command('client')
  .description('measure creates with the client beside the same requests with fetch')
  .option('--pairs <count>', 'how often to measure both, one after the other', toCount, 25)
  .option('--run <ms>', 'how long to measure each of a pair', toCount, 300)
  .action(({ pairs, run }: { pairs: number; run: number }) =>
    measureClientSpeed({ pairs, runMs: run }, createEnvironment()),
  );

program
  .command('overload')
  .description('measure the throughput when more connections send plants than the queue may hold')
  .option('--rounds <count>', 'how often to measure', toCount, 3)
  .option('--seconds <count>', 'how long to measure each time', toSeconds, 4)
  .action(async (options: { rounds: number; seconds: number }) => {
    if (!(await measureOverload(options, createEnvironment()))) process.exitCode = 1;
  });

addService(
  program
    .command('callers')
    .description('measure what one holder of a token takes from other callers, without and with each attack'),
  100_000,
)
  .option('--rounds <count>', 'how often to measure each attack', toCount, 1)
  .option('--seconds <count>', 'how long to measure without an attack, and with it', toSeconds, 60)
  .addOption(
    new Option('--attacks <names>', `separated by commas, among ${Object.keys(attacks).join(', ')}`)
      .argParser((text) => toNames(text, Object.keys(attacks)))
      .default(Object.keys(attacks), 'all'),
  )
  .action(async (options: CallersSettings) => void (await measureCallers(options, createEnvironment())));

addService(
  program
    .command('mixed')
    .description('measure lists of all kinds on 10 connections, beside 35 creates a second'),
  1_000_000,
)
  .option('--minutes <count>', 'how long to measure', toCount, 10)
  .action((options: MixedSettings) => measureMixed(options, createEnvironment()));

program
  .command('observability')
  .description(
    'measure what metrics and the request log cost: the processor time of a create with and without',
  )
  .option('--starts <count>', 'how often to start all services', toCount, 5)
  .option('--rounds <count>', 'how often to measure each of them after a start', toCount, 6)
  .option('--seconds <count>', 'how long to measure each time', toSeconds, 2)
  .action((options: { starts: number; rounds: number; seconds: number }) =>
    measureObservability(options, createEnvironment()),
  );

program
  .command('scaling')
  .description(
    'measure the service with several worker processes, each with a part of a core (Linux, as root)',
  )
  .option('--workers <counts>', 'numbers of workers, separated by commas', toCounts, [1, 2, 4, 8])
  .option('--share <cores>', 'the part of a core that each worker has, at most 1', toShare, 0.1)
  .option('--connections <count>', 'how many connections send plants', toCount, 256)
  .addOption(
    new Option('--ids <order>', 'the order of the ids').choices(['random', 'ascending']).default('random'),
  )
  .option('--rounds <count>', 'how often to measure each number of workers', toCount, 3)
  .option('--seconds <count>', 'how long to measure each time', toSeconds, 4)
  .option('--warmup <seconds>', 'how long to warm up each worker before, without a limit', toSeconds, 3)
  .action(async ({ warmup, ...options }: Omit<ScalingSettings, 'warmupSeconds'> & { warmup: number }) => {
    const settings = { ...options, warmupSeconds: warmup };
    try {
      if (!(await measureScaling(settings, createEnvironment()))) process.exitCode = 1;
    } catch (error) {
      if (!(error instanceof ControlGroupError)) throw error;
      process.stderr.write(`${error.message}\n`);
      process.exitCode = 1;
    }
  });

program
  .command('chart')
  .description('draw docs/use/performance.svg from results/latest.json')
  .action(() => writeChart(resultFiles.comparison, resultFiles.chart));

/** Adds the options of which service is measured to a command. */
function addService(command: Command, plants: number): Command {
  return command
    .addOption(
      new Option('--database <engine>', 'its database').choices(['sqlite', 'postgresql']).default('sqlite'),
    )
    .option('--workers <count>', 'how many worker processes it has (default: its own)', toCount)
    .option('--plants <count>', 'how many plants are stored before', toSize, plants)
    .option('--build <folder>', 'another checkout that is built, such as one of an older version', toCheckout)
    .option('--json <file>', 'the file that gets all results');
}

/** Adds the options of a comparison to a command. */
function addComparison(
  command: Command,
  targets: readonly Target[],
  compare: (
    targets: readonly Target[],
    settings: ComparisonSettings,
    environment: Environment,
  ) => Promise<boolean>,
): void {
  command
    .option('--rounds <count>', 'how often to measure each target', toCount, 7)
    .option('--seconds <count>', 'how long to measure each time', toSeconds, 2)
    .option(
      '--warmup <seconds>',
      'how long to warm up each target, at 64 connections, before its first round',
      toSeconds,
      3,
    )
    .option(
      '--connections <counts>',
      'numbers of connections, separated by commas',
      toCounts,
      [1, 16, 64, 256],
    )
    .option('--workers <count>', 'how many worker processes the service has (default: its own)', toCount)
    .addOption(
      new Option(
        '--only <names>',
        `the targets to measure, separated by commas, among ${targets.map(({ name }) => name).join(', ')}`,
      )
        .argParser((text) => toTargets(text, targets))
        .default(targets, 'all'),
    )
    .action(
      async (options: {
        rounds: number;
        seconds: number;
        warmup: number;
        connections: number[];
        only: readonly Target[];
        workers?: number;
      }) => {
        const { rounds, seconds, warmup, connections, only, workers } = options;
        const settings = { rounds, seconds, warmupSeconds: warmup, connections };
        if (!(await compare(withWorkers(only, workers), settings, createEnvironment()))) process.exitCode = 1;
      },
    );
}

/** Creates an environment that leaves nothing behind, however this process ends: no child process, no file but the results. */
function createEnvironment(): Environment {
  mkdirSync(workFolder, { recursive: true });
  const folder = mkdtempSync(join(workFolder, 'run-'));
  process.on('exit', () => {
    killProcesses();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  process.on('SIGINT', () => process.exit(130)).on('SIGTERM', () => process.exit(143));
  return {
    folder,
    print: (text) => void process.stdout.write(text),
    log: (text) => void process.stderr.write(`${text}\n`),
  };
}

await program.parseAsync();
