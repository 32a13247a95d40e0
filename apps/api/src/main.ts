#!/usr/bin/env node
import { createRequire } from 'node:module';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { backUp } from './cli/backup.js';
import { exportPlants } from './cli/export.js';
import { importPlants } from './cli/import.js';
import { migrate } from './cli/migrate.js';
import { exportTokens, importTokens } from './cli/move-tokens.js';
import type { CliContext } from './cli/support/cli-context.js';
import { explainOutputError } from './cli/support/explain-output-error.js';
import { parseDuration } from './cli/support/parse-duration.js';
import { createToken, listTokens, revokeToken } from './cli/token.js';
import { type Config, parseConfig } from './config.js';
import { OperatorError } from './errors/operator-error.js';
import { packageFolder } from './package-folder.js';
import { requireNodeVersion } from './runtime/require-node-version.js';

/** The command line `plant-store`. The only file that reads the environment, hears signals, or ends the process. */
const { version } = createRequire(packageFolder)('./package.json') as { version: string };

const program = new Command('plant-store')
  .description('Stores plants over HTTP, exactly and durably.')
  .version(version)
  .helpCommand(false)
  .showHelpAfterError('(see plant-store --help)')
  .exitOverride()
  .configureOutput({ writeOut: (text) => context.print(text) })
  .addHelpText(
    'after',
    `
Settings come from the environment: HOST, PORT, DATABASE_URL, LOG_LEVEL and more; see docs/settings.md.
Exit status: 0 done, 1 it failed, 2 the call or the configuration is not valid.`,
  );

program
  .command('serve')
  .description('run the service until it gets SIGTERM or SIGINT')
  .option('--quickstart', 'issue an access token on the first start, and print a curl that uses it')
  .action(async (options: { quickstart?: boolean }) => {
    // The other commands have no use for a server, which is most of the program.
    const { serve } = await import('./cli/serve.js');
    await serve(readConfig(), options, context).finally(endSoon);
  });

const token = program
  .command('token')
  .description('issue, list, revoke and move access tokens')
  .helpCommand(false);

token
  .command('create')
  .description('issue a token and print it, this once')
  .requiredOption('--name <name>', 'who or what the token is for', toName)
  .option(
    '--expires <duration>',
    'how long it is valid: 90s, 30m, 12h, 30d, 52w (default: for ever)',
    toDuration,
  )
  .action((options: { name: string; expires?: number }) =>
    createToken(
      readConfig(),
      { name: options.name, ...(options.expires !== undefined && { expiresInMs: options.expires }) },
      context,
    ),
  );

token
  .command('list')
  .description('print all tokens: id, name, creation, expiry or revocation')
  .action(() => listTokens(readConfig(), context));

token
  .command('revoke')
  .description('revoke a token by its id')
  .argument('<id>', 'the id that token list shows', toTokenId)
  .action((id: number) => revokeToken(readConfig(), id, context));

token
  .command('export')
  .description('print all tokens as NDJSON, with their hashes, to move them to another database')
  .action(() => exportTokens(readConfig(), context));

token
  .command('import')
  .description('take over the tokens that token export has printed; they keep working as they are')
  .argument('[file]', 'the file; without it standard input is read')
  .action((file: string | undefined) => importTokens(readConfig(), file, context));

program
  .command('migrate')
  .description('create the database as needed and apply pending migrations')
  .action(() => migrate(readConfig(), context));

program
  .command('export')
  .description('write all plants as NDJSON, one a line, in the order of their ids')
  .option('--output <file>', 'a new file, in place of standard output')
  .action((options: { output?: string }) => exportPlants(readConfig(), options, context));

program
  .command('import')
  .description(
    'store the plants of a file of NDJSON, as export writes it; plants that are there already stay',
  )
  .argument('[file]', 'the file; without it standard input is read')
  .option(
    '--from-line <number>',
    'the line to begin with, where an earlier import has stopped',
    toLineNumber,
    1,
  )
  .action((file: string | undefined, { fromLine }: { fromLine: number }) =>
    importPlants(readConfig(), { file, fromLine }, context),
  )
  .addHelpText(
    'after',
    '\nEach bad line is told on standard error and changes nothing; then the exit status is 1.',
  );

program
  .command('backup')
  .description('copy a SQLite database to a new file, at any time, and check the copy')
  .argument('<file>', 'the file to create; one that exists is left as it is')
  .action((file: string) => backUp(readConfig(), file, context));

/** How long a service that has stopped may wait for a reader, or for a database that hangs, in milliseconds. */
const lingerMs = 250;

/** Takes away the progress that stands in the line, where somebody is watching. */
const eraseLine = process.stderr.isTTY ? '\r\x1b[K' : '';

// Remarks that nobody reads are lost; that is no reason for a command to fail. Of a result, `print` is told.
process.stderr.on('error', () => undefined);
process.stdout.on('error', () => undefined);

const context: CliContext = {
  folder: process.cwd(),
  get input() {
    return process.stdin;
  },
  output: process.stdout,
  print: (text) =>
    void process.stdout.write(text, (error) => {
      if (error) process.exitCode = report(explainOutputError(error));
    }),
  remark: (text) => new Promise((resolve) => process.stderr.write(`${eraseLine}${text}\n`, () => resolve())),
  showProgress: (text) => void (process.stderr.isTTY && process.stderr.write(`${eraseLine}${text}`)),
  stopSignal: () =>
    new Promise((resolve) => {
      const hear = (signal: NodeJS.Signals) => {
        resolve(signal);
        // npx and pnpm pass on a signal that the context has sent to all; only a later one ends the process at once.
        setTimeout(() => process.off('SIGTERM', hear).off('SIGINT', hear), 1_000).unref();
      };
      process.on('SIGTERM', hear).on('SIGINT', hear);
    }),
};

/** Ends a process that is done but for something that nobody reads, such as a warning on standard error, or a database that hangs. */
function endSoon(): void {
  setTimeout(() => process.exit(), lingerMs).unref();
}

function readConfig(): Config {
  return parseConfig(process.env, context.folder);
}

function toName(text: string): string {
  if (text.trim() === '' || /\p{Cc}/u.test(text)) {
    throw new InvalidArgumentError('Say who or what the token is for, in one line of text.');
  }
  return text;
}

function toDuration(text: string): number {
  const duration = parseDuration(text);
  if (duration === undefined) throw new InvalidArgumentError('Give a number and a unit, such as 12h or 30d.');
  return duration;
}

function toTokenId(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Give the id that token list shows.');
  return Number(text);
}

function toLineNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('Give the number of a line, from 1 on.');
  return Number(text);
}

try {
  requireNodeVersion(process.versions.node);
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** Tells what went wrong and gives the exit status. Commander has said its part already. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof OperatorError) {
    context.remark(`plant-store: ${error.message}`);
    return error.exitCode;
  }
  // Whoever read the result has enough of it, as head has; there is nothing to tell.
  if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return 1;
  context.remark(`plant-store: unexpected fault\n${error instanceof Error ? error.stack : String(error)}`);
  return 1;
}
