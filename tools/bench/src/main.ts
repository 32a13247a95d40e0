import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import process from 'node:process';
import { Command, InvalidArgumentError, Option } from 'commander';
import { measureAttacks } from './attacks.js';
import { type ComparisonOptions, compare } from './compare.js';
import { sqlite, startPostgresql } from './databases.js';
import { measureGrowth } from './growth.js';
import { compareNodes } from './node-versions.js';
import { compareOperations } from './operations.js';
import { defaultResource, measurableResources } from './resource.js';
import { compareWorkers } from './scaling.js';
import { measureStart } from './start.js';
import { allTargets } from './targets.js';

/** The command `pnpm bench`. Exits with status 1 if it fails, or if a target lost an acknowledged record. */
const program = new Command('bench')
  .description('Measure the service against comparable programs, on this machine and over loopback.')
  .helpCommand(false)
  .addHelpText(
    'after',
    '\nThe default command is compare (see: bench compare --help).' +
      '\nTo measure on PostgreSQL: bench --postgresql',
  )
  .showHelpAfterError();

const postgresqlOption = [
  '--postgresql',
  'start a PostgreSQL server and use it, skipping targets that do not support it',
] as const;
const parseCount = createNumberParser(1, 9_999, Number.isInteger);
const parseCounts = (text: string) => text.split(',').map(parseCount);
const parseSeconds = createNumberParser(0.1, 600);

/** Returns the name of the committed results to replace, or `undefined` for any resource but the default one. */
const committedResults = ({ resource }: { readonly resource: string }, name: string) =>
  resource === defaultResource.name ? name : undefined;

addCommand('compare', { isDefault: true }, 7, 2)
  .description('send the same creates to all targets, and print a table for each number of connections')
  .option(
    '--connections <counts>',
    'numbers of connections, separated by commas',
    parseCounts,
    [1, 16, 64, 256],
  )
  .option(...postgresqlOption)
  .addOption(
    new Option('--only <names...>', 'targets to measure').choices(allTargets.map(({ name }) => name)),
  )
  .addHelpText('after', '\nIt replaces the committed results, unless you use --only or another resource.')
  .action(({ only, connections, ...options }) => {
    const results = options.postgresql ? 'postgresql' : 'latest';
    return run(options, ({ targets, settings, ...compared }) =>
      compare({
        ...compared,
        targets: targets.filter(({ name }) => only?.includes(name) ?? true),
        loads: connections.map((count: number) => ({ operation: 'create', connections: count })),
        settings: { ...settings, warmupConnections: 64 },
        results: only === undefined ? committedResults(options, results) : undefined,
      }),
    );
  });

addCommand('operations', {}, 7, 3)
  .description('measure reads, batches, and deletes, compared with the targets that support them')
  .option(...postgresqlOption)
  .action((options) => {
    const results = options.postgresql ? 'operations-postgresql' : 'operations';
    return run(options, (compared) =>
      compareOperations({ ...compared, results: committedResults(options, results) }),
    );
  });

addCommand('growth', {}, 5, 3)
  .description('measure the service with 10 thousand, a million, and 10 million records')
  .action((options) =>
    run(options, (compared) => measureGrowth({ ...compared, results: committedResults(options, 'growth') })),
  );

addCommand('node', {}, 5, 3)
  .description('compare two Node.js versions: startup, idle memory, creates, gets, pages, and batches')
  .requiredOption('--baseline-node <path>', 'path to the baseline node binary')
  .option('--node <path>', 'path to the node binary to measure', process.execPath)
  .option('--processes <count>', 'number of service processes per version and load', parseCount, 3)
  .action(({ baselineNode: baseline, node, processes, ...options }) =>
    run(options, (compared) => compareNodes({ baseline, node, processes }, compared)),
  );

program
  .command('start')
  .description('measure the time from start to first reply, and the idle memory')
  .action(() => run({}, ({ folder }) => measureStart(folder)));

program
  .command('attacks')
  .description(
    'run the attacks in docs/SECURITY.md, and check memory and other callers against the documented limits',
  )
  .option('--seconds <count>', 'duration of each attack, in seconds', parseSeconds, 60)
  .option('--workers <count>', 'value of the setting WORKERS', parseCount, 1)
  .option('--only <parts...>', 'run only the attacks whose titles contain one of these texts')
  .option(...postgresqlOption)
  .action(({ workers, only, ...options }) =>
    run(options, (measured) => measureAttacks(measured, { workers, only })),
  );

addCommand('scaling', {}, 3, 4)
  .description(
    'measure the service with 1, 2, 4, and 8 workers, each limited to a tenth of a core (Linux, as root)',
  )
  .action((options) => run(options, compareWorkers));

function addCommand(name: string, options: object, rounds: number, seconds: number): Command {
  return program
    .command(name, options)
    .addOption(
      new Option('--resource <name>', 'resource to create and read')
        .choices(Object.keys(measurableResources))
        .default(defaultResource.name),
    )
    .option('--rounds <count>', 'number of rounds', parseCount, rounds)
    .option('--seconds <count>', 'duration of each measurement, in seconds', parseSeconds, seconds)
    .option('--warmup <seconds>', 'warm-up time before the first round, in seconds', parseSeconds, 3);
}

function createNumberParser(from: number, to: number, isValid = Number.isFinite): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (isValid(value) && value >= from && value <= to) return value;
    throw new InvalidArgumentError(`Expected a number from ${from} to ${to}.`);
  };
}

/**
 * Runs a measurement in a new folder. The folder is not in the system's temporary folder, which can be in memory. It is not in the
 * repository either, because PostgreSQL might have no access to it if root starts PostgreSQL as another user. When this process ends, it
 * leaves no processes and no files except the results.
 *
 * @param measure returns whether the measurement succeeded
 */
async function run(
  { rounds = 1, seconds = 1, warmup = 1, postgresql = false, resource: name = defaultResource.name },
  measure: (compared: Omit<ComparisonOptions, 'loads'>) => Promise<boolean>,
): Promise<void> {
  const parent = '/var/tmp/plant-store-bench';
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(`${parent}/run-`);
  process.on('exit', () => {
    // The processes of a killed server can still write for a moment.
    const deadlineMs = performance.now() + 10_000;
    do rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    while (existsSync(folder) && performance.now() < deadlineMs);
  });
  process.on('SIGINT', () => process.exit(130)).on('SIGTERM', () => process.exit(143));
  const engine = postgresql ? await startPostgresql(folder) : sqlite;
  const resource = measurableResources[name] ?? defaultResource;
  const targets = allTargets.filter(
    ({ has }) =>
      (!postgresql || has.includes('postgresql')) &&
      (resource === defaultResource || has.includes('resources')),
  );
  const settings = { rounds, seconds, warmupSeconds: warmup };
  if (!(await measure({ targets, engine, folder, settings, resource }))) process.exitCode = 1;
  await engine.stop();
}

await program.parseAsync();
