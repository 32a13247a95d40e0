import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import process from 'node:process';
import { Command, InvalidArgumentError, Option } from 'commander';
import { measureAttacks } from './attacks.js';
import { measureClientCalls } from './client-calls.js';
import { type Compared, compare } from './compare.js';
import { sqlite, startPostgresql } from './databases.js';
import { measureGrowth } from './growth.js';
import { compareNodes } from './node-versions.js';
import { compareOperations } from './operations.js';
import { defaultResource, measurable } from './resource.js';
import { compareWorkers } from './scaling.js';
import { measureStalls } from './stalls.js';
import { measureStart } from './start.js';
import { allTargets } from './targets.js';

/** The command line `pnpm bench`. It exits with status 1 when it fails, or a target lost an acknowledged record. */
const program = new Command('bench')
  .description('Measure the service beside comparable programs, on this machine and over loopback.')
  .helpCommand(false)
  .addHelpText(
    'after',
    '\nWithout a command it runs compare, whose options are in: bench compare --help' +
      '\nOn PostgreSQL, which it starts: bench --postgresql',
  )
  .showHelpAfterError();

const onPostgresql = [
  '--postgresql',
  'on a PostgreSQL server that it starts, with those that support it',
] as const;
const count = numberIn(1, 9_999, Number.isInteger);
const counts = (text: string) => text.split(',').map(count);

const resourceOption = new Option('--resource <name>', 'what is created and read')
  .choices(Object.keys(measurable))
  .default(defaultResource.name);

/** The committed results are those of the resource that all targets have. */
const resultsOf = ({ resource }: { readonly resource: string }, name: string) =>
  resource === defaultResource.name ? name : undefined;

addCommand('compare', { isDefault: true }, 7, 2)
  .description('send the same creates to all targets, and print a table for each number of connections')
  .option('--connections <counts>', 'numbers of connections, separated by commas', counts, [1, 16, 64, 256])
  .option(...onPostgresql)
  .addOption(
    new Option('--only <names...>', 'the targets to measure').choices(allTargets.map(({ name }) => name)),
  )
  .addHelpText('after', '\nIt replaces the committed results, unless --only or another resource is given.')
  .action(({ only, connections, ...options }) => {
    const results = options.postgresql ? 'postgresql' : 'latest';
    return run(options, ({ targets, settings, ...compared }) =>
      compare({
        ...compared,
        targets: targets.filter(({ name }) => only?.includes(name) ?? true),
        loads: connections.map((count: number) => ({ operation: 'create', connections: count })),
        settings: { ...settings, warmupConnections: 64 },
        results: only === undefined ? resultsOf(options, results) : undefined,
      }),
    );
  });

addCommand('operations', {}, 7, 3)
  .description('measure reads, batches and deletes, beside the targets that have them')
  .option(...onPostgresql)
  .action((options) => {
    const results = options.postgresql ? 'operations-postgresql' : 'operations';
    return run(options, (compared) =>
      compareOperations({ ...compared, results: resultsOf(options, results) }),
    );
  });

addCommand('growth', {}, 5, 3)
  .description('measure the service with 10 thousand, a million and 10 million records')
  .action((options) =>
    run(options, (compared) => measureGrowth({ ...compared, results: resultsOf(options, 'growth') })),
  );

addCommand('node', {}, 5, 3)
  .description(
    'compare the service on two Node.js: its start, memory when idle, creates, gets, pages and batches',
  )
  .requiredOption('--baseline-node <path>', 'the Node.js to compare with')
  .option('--node <path>', 'the Node.js to measure', process.execPath)
  .option('--processes <count>', 'how many processes of each serve each load', count, 3)
  .action(({ baselineNode: baseline, node, processes, ...options }) =>
    run(options, (compared) => compareNodes({ baseline, node, processes }, compared)),
  );

program
  .command('start')
  .description('measure how soon the service replies after its start, and its memory when idle')
  .action(() => run({}, ({ folder }) => measureStart(folder)));

program
  .command('client')
  .description(
    'measure what a call of the typed client costs beside those of other clients, without a network',
  )
  .option('--rounds <count>', 'how often to measure each', count, 15)
  .action(({ rounds }) => measureClientCalls(rounds));

program
  .command('stalls')
  .description('show how often creates held up the event loop of the service for how long, and by what')
  .option('--records <count>', 'how many records it has before', numberIn(0, 1e8, Number.isInteger), 0)
  .option('--seconds <count>', 'how long to measure', numberIn(0.1, 600), 60)
  .addOption(resourceOption)
  .action(({ records, seconds, resource }) =>
    run({ seconds, warmup: 3, resource }, (measured) => measureStalls({ ...measured, records })),
  );

program
  .command('attacks')
  .description('attack the service in each way of docs/SECURITY.md, and check what it promises the others')
  .option('--seconds <count>', 'how long each attack lasts', numberIn(0.1, 600), 60)
  .option('--workers <count>', 'the setting WORKERS', count, 1)
  .option('--only <parts...>', 'the attacks whose titles have one of these parts')
  .option(...onPostgresql)
  .action(({ workers, only, ...options }) =>
    run(options, (measured) => measureAttacks(measured, { workers, only })),
  );

addCommand('scaling', {}, 3, 4)
  .description(
    'measure the service with 1, 2, 4 and 8 workers that each have a tenth of a core (Linux, as root)',
  )
  .action((options) => run(options, compareWorkers));

function addCommand(name: string, options: object, rounds: number, seconds: number): Command {
  const time = numberIn(0.1, 600);
  return program
    .command(name, options)
    .addOption(resourceOption)
    .option('--rounds <count>', 'how often to measure each', count, rounds)
    .option('--seconds <count>', 'how long to measure each time', time, seconds)
    .option('--warmup <seconds>', 'how long to warm up each before its first round', time, 3);
}

function numberIn(from: number, to: number, isExpected = Number.isFinite): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (isExpected(value) && value >= from && value <= to) return value;
    throw new InvalidArgumentError(`Expected a number from ${from} to ${to}.`);
  };
}

/**
 * Runs a measurement in a new folder. The folder is not in the system's temporary folder, which may be in memory, nor in the repository,
 * which PostgreSQL may not be able to access when root starts it as another user. However this process ends, it leaves no processes behind,
 * and no files except the results.
 *
 * @param measure returns whether all went well
 */
async function run(
  { rounds = 1, seconds = 1, warmup = 1, postgresql = false, resource: name = defaultResource.name },
  measure: (compared: Omit<Compared, 'loads'>) => Promise<boolean>,
): Promise<void> {
  const parent = '/var/tmp/plant-store-bench';
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(`${parent}/run-`);
  process.on('exit', () => {
    // The processes of a killed server may still write for a moment.
    const deadlineMs = performance.now() + 10_000;
    do rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    while (existsSync(folder) && performance.now() < deadlineMs);
  });
  process.on('SIGINT', () => process.exit(130)).on('SIGTERM', () => process.exit(143));
  const engine = postgresql ? await startPostgresql(folder) : sqlite;
  const resource = measurable[name] ?? defaultResource;
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
