import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { clientSpeed } from './client-speed/client-speed.js';
import { comparison, postgresqlComparison } from './comparison/comparison.js';
import type { ComparisonSettings } from './comparison/comparison-results.js';
import type { Environment } from './environment/environment.js';
import { growth } from './growth/growth.js';
import { overload } from './overload/overload.js';
import { resultFiles, workFolder } from './paths.js';
import { killProcesses } from './processes/start-process.js';
import { writeChart } from './report/result-files.js';
import { startTime } from './start-time/start-time.js';
import { allTargets, postgresqlTargets } from './targets/all-targets.js';
import type { Target } from './targets/target.js';

/** The command line `pnpm bench`. Exit status: 0 done, 1 it failed or a target lost an acknowledged plant. */
const program = new Command('bench')
  .description('Measures the service, and its peers beside it, on this machine. Loopback only.')
  .helpCommand(false)
  .showHelpAfterError();

addComparison(
  program
    .command('compare', { isDefault: true })
    .description('drive all targets with the same load and print a table for each number of connections'),
  allTargets,
  comparison,
);

addComparison(
  program
    .command('postgresql')
    .description('the same over a PostgreSQL server, started for it, for those who can use one'),
  postgresqlTargets,
  postgresqlComparison,
);

program
  .command('growth')
  .description('measure the service with many plants already stored')
  .option('--rounds <count>', 'how often each size is measured', toCount, 3)
  .option('--seconds <count>', 'how long is measured', toSeconds, 10)
  .option('--warmup <seconds>', 'how long is warmed up before', toSeconds, 3)
  .option('--plants <counts>', 'the sizes, separated by commas', toSizes, [0, 1_000_000, 10_000_000])
  .action(async (options: { rounds: number; seconds: number; warmup: number; plants: number[] }) => {
    const { rounds, seconds, warmup, plants } = options;
    const settings = { rounds, seconds, warmupSeconds: warmup, plants };
    if (!(await growth(settings, makeEnvironment()))) process.exitCode = 1;
  });

program
  .command('start')
  .description('measure how soon the service answers after its start, and its memory when idle')
  .option('--starts <count>', 'how often it is started', toCount, 10)
  .action((options: { starts: number }) => startTime(options.starts, makeEnvironment()));

program
  .command('client')
  .description('measure creates by the client beside the same requests by fetch alone')
  .option('--pairs <count>', 'how often both are measured, one after the other', toCount, 25)
  .option('--run <ms>', 'how long one is measured at a time', toCount, 300)
  .action(({ pairs, run }: { pairs: number; run: number }) =>
    clientSpeed({ pairs, runMs: run }, makeEnvironment()),
  );

program
  .command('overload')
  .description('measure what is stored when far more connections retry than plants may wait')
  .option('--rounds <count>', 'how often it is measured', toCount, 3)
  .option('--seconds <count>', 'how long is measured', toSeconds, 4)
  .action((options: { rounds: number; seconds: number }) => overload(options, makeEnvironment()));

program
  .command('chart')
  .description('draw docs/performance.svg from results/latest.json')
  .action(() => writeChart(resultFiles.comparison, resultFiles.chart));

/** Gives a command the options of a comparison. */
function addComparison(
  command: Command,
  targets: readonly Target[],
  hold: (
    targets: readonly Target[],
    settings: ComparisonSettings,
    environment: Environment,
  ) => Promise<boolean>,
): void {
  command
    .option('--rounds <count>', 'how often each is measured', toCount, 7)
    .option('--seconds <count>', 'how long is measured at a time', toSeconds, 2)
    .option(
      '--warmup <seconds>',
      'how long each is warmed up before its first round, at 64 connections',
      toSeconds,
      3,
    )
    .option('--connections <counts>', 'separated by commas', toCounts, [1, 16, 64, 256])
    .addOption(
      new Option('--only <names>', `some of ${targets.map(({ name }) => name).join(',')}`)
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
      }) => {
        const { rounds, seconds, warmup, connections, only } = options;
        const settings = { rounds, seconds, warmupSeconds: warmup, connections };
        if (!(await hold(only, settings, makeEnvironment()))) process.exitCode = 1;
      },
    );
}

/** Environment that leave nothing behind, however this process ends: no child, and no file but the results. */
function makeEnvironment(): Environment {
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
    remark: (text) => void process.stderr.write(`${text}\n`),
  };
}

function toCount(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('Give a whole number from 1 to 9999.');
  return Number(text);
}

function toCounts(text: string): number[] {
  return text.split(',').map(toCount);
}

function toSizes(text: string): number[] {
  return text.split(',').map((size) => {
    if (!/^\d{1,8}$/.test(size)) throw new InvalidArgumentError('Give whole numbers from 0 to 99999999.');
    return Number(size);
  });
}

function toSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= 600)) throw new InvalidArgumentError('Give a number of seconds up to 600.');
  return seconds;
}

function toTargets(text: string, targets: readonly Target[]): Target[] {
  const names = text.split(',');
  const unknown = names.find((name) => !targets.some((target) => target.name === name));
  if (unknown !== undefined) throw new InvalidArgumentError(`There is no target ${unknown}.`);
  return targets.filter(({ name }) => names.includes(name));
}

await program.parseAsync();
