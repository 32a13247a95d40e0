import { Command } from 'commander';
import type { WorkerProcess } from '../cluster/run-worker.js';
import type { Config } from '../config.js';
import { OperatorError } from '../errors/operator-error.js';
import { ServiceError } from '../errors/service-error.js';
import { backUp } from './backup.js';
import type { CliContext } from './cli-context.js';
import { exportPlants } from './export.js';
import { importPlants } from './import.js';
import { type MigrateOptions, migrate } from './migrate.js';
import { toLineNumber, toShardCount, toUrl } from './parse-arguments.js';
import { adminUrlOf, requireReady } from './ready.js';
import { explainDatabaseError } from './retry-while-unavailable.js';
import type { ServeOptions } from './serve.js';
import { addTokenCommands } from './token-commands.js';

/** What the command line depends on. */
export interface ProgramDependencies {
  readonly version: string;
  readonly context: CliContext;
  /** Reads the configuration; only called for a command that needs it. */
  readConfig(): Config;
  /** What it is read from. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** This process, as a worker of a service. */
  readonly worker: WorkerProcess;
  /** Called once a service has stopped. */
  onServiceStopped(): void;
}

/**
 * Runs the command line with these arguments.
 *
 * @throws {CommanderError} where commander would end the process
 * @throws {OperatorError} when the database fails, too
 */
export async function runProgram(args: readonly string[], dependencies: ProgramDependencies): Promise<void> {
  try {
    await createProgram(dependencies).parseAsync(args, { from: 'user' });
  } catch (error) {
    throw error instanceof ServiceError ? explainDatabaseError(error) : error;
  }
}

/** The command line `plant-store`, which throws a `CommanderError` where commander would end the process. */
export function createProgram(dependencies: ProgramDependencies): Command {
  const program = new Command(dependencies.context.commandName)
    .description('Stores plants over HTTP, exactly and durably.')
    .version(dependencies.version)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => dependencies.context.print(text),
      // A message ends its line itself.
      writeErr: (text) => void dependencies.context.message(text.replace(/\n$/, '')),
    })
    .addHelpText(
      'after',
      `
Settings come from the environment: HOST, PORT, DATABASE_URL, LOG_LEVEL and more; see docs/settings.md.
Exit status: 0 success, 1 failure, 2 invalid arguments or configuration.`,
    );
  addServe(program, dependencies);
  addWorker(program, dependencies);
  addReady(program, dependencies);
  addCheck(program, dependencies);
  addTokenCommands(program, dependencies);
  addMigrate(program, dependencies);
  addExport(program, dependencies);
  addImport(program, dependencies);
  addBackup(program, dependencies);
  pointToHelp(program, program.name());
  return program;
}

/** Makes errors in the arguments of a command point to its own help. */
function pointToHelp(command: Command, name: string): void {
  command.showHelpAfterError(`(see ${name} --help)`);
  for (const child of command.commands) pointToHelp(child, `${name} ${child.name()}`);
}

function addServe(program: Command, { context, readConfig, onServiceStopped }: ProgramDependencies): void {
  program
    .command('serve')
    .description(
      'run the service until it gets SIGTERM, SIGINT or SIGHUP, which replaces workers where there are some',
    )
    .option(
      '--quickstart',
      'issue an access token on the first start, and print an address and a curl that use it: not where the output is kept',
    )
    .option('--stop-with-parent', 'stop, too, once the process that started it has ended, as npx does')
    .action(async (options: ServeOptions) => {
      // Loaded only here: the other commands need no HTTP server, which is most of the program.
      const { serve } = await import('./serve.js');
      await serve(readConfig, options, context).finally(onServiceStopped);
    });
}

/** What `serve` runs for each of its workers; it is not for users, so the help leaves it out. */
function addWorker(program: Command, { context, worker }: ProgramDependencies): void {
  program.command('worker', { hidden: true }).action(async () => {
    if (!worker.connected) {
      throw new OperatorError('A worker is started by the service: set WORKERS and run serve instead.', {
        exitCode: 2,
      });
    }
    const { runWorker } = await import('../cluster/run-worker.js');
    runWorker(worker, context);
  });
}

function addReady(program: Command, { context, readConfig }: ProgramDependencies): void {
  program
    .command('ready')
    .description('ask a running service whether it is ready: exit status 0 if it is, for health checks')
    .option('--url <url>', 'its admin port (default: that of ADMIN_HOST and ADMIN_PORT)', toUrl)
    .action(({ url }: { url?: URL }) => requireReady(url ?? adminUrlOf(readConfig()), context));
}

function addCheck(program: Command, { context, readConfig, environment }: ProgramDependencies): void {
  program
    .command('check')
    .description('examine the settings, the machine and the database, before or while the service runs')
    .option('--json', 'print one JSON document instead of lines')
    .action(async (options: { json?: boolean }) => {
      const { check } = await import('./check.js');
      await check({ readConfig, environment }, options, context);
    })
    .addHelpText(
      'after',
      '\nIt changes nothing. Exit status: 0 without errors, 1 with some, 2 for invalid settings.',
    );
}

function addMigrate(program: Command, { context, readConfig }: ProgramDependencies): void {
  program
    .command('migrate')
    .description('create the database as needed and apply pending migrations')
    .option(
      '--distribute [shards]',
      'distribute the plants over the nodes of a Citus cluster, 2 shards for each node and at least 4 unless a number is given',
      toShardCount,
    )
    .action((options: MigrateOptions) => migrate(readConfig(), options, context));
}

function addExport(program: Command, { context, readConfig }: ProgramDependencies): void {
  program
    .command('export')
    .description('write all plants as NDJSON, one a line, ordered by id')
    .option('--output <file>', 'a new file instead of standard output')
    .action((options: { output?: string }) => exportPlants(readConfig(), options, context));
}

function addImport(program: Command, { context, readConfig }: ProgramDependencies): void {
  program
    .command('import')
    .description(
      'store the plants of an NDJSON file, as export writes it; plants already stored are left unchanged',
    )
    .argument('[file]', 'the file; standard input by default')
    .option('--from-line <number>', 'the line to start with, to resume an earlier import', toLineNumber, 1)
    .action((file: string | undefined, { fromLine }: { fromLine: number }) =>
      importPlants(readConfig(), { file, fromLine }, context),
    )
    .addHelpText(
      'after',
      '\nInvalid lines are reported on standard error and skipped; the exit status is then 1.',
    );
}

function addBackup(program: Command, { context, readConfig }: ProgramDependencies): void {
  program
    .command('backup')
    .description('copy a SQLite database to a new file, while services use it, and check the copy')
    .argument('<file>', 'the file to create; an existing file is never replaced')
    .action((file: string) => backUp(readConfig(), file, context));
}
