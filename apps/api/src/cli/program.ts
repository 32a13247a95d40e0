import cluster from 'node:cluster';
import {
  auditActions,
  INT64_MAX,
  INT64_MIN,
  Int64ParameterSchema,
  QUERY_MAX_LENGTHS,
  QueryTimeSchema,
} from '@plant-store/contract';
import { currentScope, defaultScopes, type Scope, scopes } from '@plant-store/contract/access-token';
import { MAX_RATE_PER_MINUTE } from '@plant-store/contract/messages';
import { readCell } from '@plant-store/contract/record-format';
import { type Field, fieldsOf, type Kind, withArticle } from '@plant-store/contract/resource';
import { ServiceError } from '@plant-store/records';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import * as z from 'zod';
import { wholeNumber } from '../auth/jwt-settings.js';
import type { Config } from '../config.js';
import { OperatorError } from '../errors/operator-error.js';
import { docsPath } from '../package-folder.js';
import { type AuditOptions, printAudit } from './audit.js';
import { backUp } from './backup.js';
import type { CliContext, JsonOption } from './cli-context.js';
import { explainDatabaseError, invalidateCursors, migrate } from './database.js';
import { type DeleteOptions, deleteRecords } from './delete.js';
import { type ExportOptions, exportRecords, type ListOptions, list } from './export.js';
import { formatNames, pluralsOf, type RecordType, type RecordTypes, recordTypes } from './formats.js';
import { type ImportOptions, importFormats, importRecords } from './import.js';
import { type ShowOptions, show, update } from './one-record.js';
import { type RestoreOptions, restore } from './restore.js';
import type { ServeOptions } from './serve.js';
import {
  createToken,
  exportTokens,
  findTokens,
  importTokens,
  listTokens,
  revokeToken,
  rotateToken,
  type TokenOutputOptions,
} from './token.js';

export interface ProgramDependencies {
  readonly version: string;
  readonly context: CliContext;
  /** Reads the configuration. Called only for commands that need it. */
  readConfig(): Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  onServiceStopped(): void;
  /** The resources; by default, all of the service's resources. */
  readonly types?: RecordTypes;
}

/**
 * Runs the command line with these arguments.
 *
 * @throws {CommanderError} if commander would end the process
 * @throws {OperatorError} if the command fails, for example because of the database
 */
export async function runProgram(args: readonly string[], dependencies: ProgramDependencies): Promise<void> {
  try {
    const program = createProgram(dependencies);
    if (args[0] === 'complete') await addCompletion(program);
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    throw error instanceof ServiceError ? explainDatabaseError(error) : error;
  }
}

/** Adds the command `complete`, which shell completion scripts call, and returns an object whose `setup` prints such a script. */
async function addCompletion(program: Command) {
  const { default: addTab } = await import('@bomb.sh/tab/commander');
  // The library adds a command that prints the script, and would offer it as a completion.
  const completionCommandName = 'print-completion';
  const completion = addTab(program, { completionCommandName });
  completion.commands.delete(completionCommandName);
  return completion;
}

/** Creates the command line `plant-store`, which throws a `CommanderError` if commander would end the process. */
export function createProgram(dependencies: ProgramDependencies): Command {
  const { types = recordTypes } = dependencies;
  const program = new Command(dependencies.context.commandName)
    .description(`Stores ${pluralsOf(types)} over HTTP, exactly and durably.`)
    .version(dependencies.version)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => dependencies.context.print(text),
      // `message` adds the newline.
      writeErr: (text) => void dependencies.context.message(text.replace(/\n$/, '')),
    })
    .addHelpText(
      'after',
      `
Settings come from the environment: HOST, PORT, DATABASE_URL, LOG_LEVEL, and more; see ${docsPath('docs/operate/settings.md')}.
Exit status: 0 for success, 1 for failure, 2 for invalid arguments or an invalid configuration.`,
    );
  addService(program, dependencies);
  addTokens(program, dependencies);
  addAudit(program, dependencies);
  addRecords(program, dependencies, types);
  addDatabase(program, dependencies, types);
  program
    .command('completion')
    .description('print a shell completion script')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish', 'powershell']))
    .action(async (shell: string) => {
      (await addCompletion(program)).setup('plant-store', 'plant-store', shell);
    });
  pointToHelp(program, program.name());
  return program;
}

/** Makes a command's argument errors point to its help. */
function pointToHelp(command: Command, name: string): void {
  command.showHelpAfterError(`(see ${name} --help)`);
  for (const child of command.commands) pointToHelp(child, `${name} ${child.name()}`);
}

function addService(
  program: Command,
  { context, readConfig, environment, onServiceStopped }: ProgramDependencies,
): void {
  program
    .command('serve')
    .description(
      'run the service until it receives SIGTERM, SIGINT, or SIGHUP; if there are workers, SIGHUP replaces them instead',
    )
    .option(
      '--quickstart',
      'on the first start, issue an access token, and print a link and a curl command that use the token; do not use this option where output is logged',
    )
    .option('--stop-with-parent', 'stop when the process that started the service, such as npx, exits')
    .action(async (options: ServeOptions) => {
      // Loaded here because the HTTP server is most of the program, and the other commands do not need it.
      const { serve } = await import('./serve.js');
      const stopWithParent = options.stopWithParent ?? isRunByNpx(environment);
      await serve(readConfig, { ...options, stopWithParent }, context).finally(onServiceStopped);
    });
  // `serve` runs this for each worker. Hidden from the help because it is not for users.
  program.command('worker', { hidden: true }).action(async () => {
    const advice = 'Only the service can start workers: set WORKERS and run serve instead.';
    if (cluster.worker === undefined) throw new OperatorError(advice, { exitCode: 2 });
    const { runWorker } = await import('../cluster/run-worker.js');
    runWorker(cluster.worker, context);
  });
  program
    .command('ready')
    .description('check whether a running service is ready (exit status 0 if it is), for health checks')
    .option('--url <url>', 'the URL of the admin port (default: from ADMIN_HOST and ADMIN_PORT)', toUrl)
    .addOption(jsonOption('the reply from /readyz'))
    .action(async ({ url, ...options }: { url?: URL } & JsonOption) => {
      const { adminUrlOf, requireReady } = await import('./check.js');
      await requireReady(url ?? adminUrlOf(readConfig()), options, context);
    });
  program
    .command('check')
    .description('check the settings, the machine, and the database, before or while the service runs')
    .addOption(jsonOption('one object'))
    .action(async (options: JsonOption) => {
      const { check } = await import('./check.js');
      await check({ readConfig, environment }, options, context);
    })
    .addHelpText(
      'after',
      '\nThis command changes nothing. Exit status: 0 if there are no errors, 1 if there are errors, 2 if settings are invalid.',
    );
}

/** How long the old token works after a rotation by default, in milliseconds: an hour. */
const defaultOverlapMs = 3_600_000;

interface CreateTokenOptions extends TokenOutputOptions {
  readonly name?: string;
  readonly expires?: Date | null;
  readonly can: readonly Scope[];
  readonly rate?: number;
}

interface RotateTokenOptions extends JsonOption {
  readonly overlap: number;
  readonly expires?: Date | null;
  readonly can?: readonly Scope[];
}

function jsonOption(what: string): Option {
  return new Option('--json', `print JSON: ${what}`);
}

const tokenLines = 'an object for each token, one per line';

function addTokens(program: Command, { context, readConfig }: ProgramDependencies): void {
  const token = program
    .command('token')
    .description('issue, list, rotate, revoke, and move access tokens')
    .helpCommand(false);
  token
    .command('create')
    .description('issue a token and print it once')
    .usage('--name <name> [options]')
    .option('--name <name>', 'who or what the token is for', toName)
    .option(
      '--expires <duration>',
      'how long the token is valid: 90s, 30m, 12h, 30d, 52w, or never (default: never)',
      toExpiry,
    )
    .addOption(canOption().default(defaultScopes, defaultScopes.join()))
    .option(
      '--rate <number>',
      'the maximum number of requests per minute, instead of RATE_LIMIT_PER_MINUTE',
      toRate,
    )
    .option(
      '--link [url]',
      'print a link that opens the page with the token, plus a QR code on a terminal; url is the page address (default: the address on this machine)',
      toUrl,
    )
    .addOption(jsonOption('the token, its secret, and its link'))
    .action((options: CreateTokenOptions, command: Command) => {
      const { name, expires, can, rate, ...output } = options;
      // Commander looks for required options before unknown ones, so it would not mention a mistyped `--nmae`.
      if (name === undefined) return command.error("error: required option '--name <name>' not specified");
      const limits = { ...(expires && { expiresAt: expires }), ...(rate && { ratePerMinute: rate }) };
      return createToken(readConfig(), { name, scopes: can, ...limits }, output, context);
    });
  token
    .command('rotate')
    .description('replace a token: issue a new one, print it once, and make the old one expire')
    .argument('<id>', 'the ID that token list shows', toTokenId)
    .addOption(
      new Option(
        '--overlap <duration>',
        'the maximum time that the old token keeps working, such as 30m or 12h; 0 revokes it immediately',
      )
        .argParser((text) => (text === '0' ? 0 : toDurationMs(text)))
        .default(defaultOverlapMs, '1h'),
    )
    .option(
      '--expires <duration>',
      'how long the new token is valid, or never (default: the original lifetime of the old token)',
      toExpiry,
    )
    .addOption(canOption('; by default, the scopes of the old token'))
    .addOption(jsonOption('the new token and its secret'))
    .action((id: number, { overlap, expires, can, json }: RotateTokenOptions) => {
      const request = { id, overlapMs: overlap, expiresAt: expires, scopes: can, json };
      return rotateToken(readConfig(), request, context);
    });
  token
    .command('list')
    .description(
      'print all tokens: ID, name, creation, expiration or revocation, last use, rate limit, and scopes',
    )
    .addOption(jsonOption(tokenLines))
    .action((options: JsonOption) => listTokens(readConfig(), options, context));
  token
    .command('find')
    .description('look up the tokens that you pass on standard input, one per line, such as leaked tokens')
    .addOption(jsonOption(tokenLines))
    .action((options: JsonOption) => findTokens(readConfig(), options, context));
  token
    .command('revoke')
    .description('revoke a token')
    .argument(
      '<id or name>',
      'the ID that token list shows, or a name that only one valid token has',
      (text) => (/^\d+$/.test(text) ? toTokenId(text) : text),
    )
    .addOption(jsonOption('the revoked token'))
    .action((which: number | string, options: JsonOption) =>
      revokeToken(readConfig(), which, options, context),
    );
  token
    .command('export')
    .description('print all tokens as NDJSON, with their hashes, to move them to another database')
    .action(() => exportTokens(readConfig(), context));
  token
    .command('import')
    .description('add the tokens that token export printed; they keep working unchanged')
    .argument('[file]', 'the file (default: standard input)')
    .addOption(jsonOption('the totals'))
    .action((file: string | undefined, options: JsonOption) =>
      importTokens(readConfig(), file, options, context),
    );
}

function addAudit(program: Command, { context, readConfig }: ProgramDependencies): void {
  program
    .command('audit')
    .description('print the audit log of tokens, backups, and imported files, newest entry first')
    .addOption(new Option('--action <action>', 'print only entries with this action').choices(auditActions))
    .option('--limit <number>', 'the maximum number of entries (default: all)', toEntryCount)
    .option('--after <number>', 'start with entries older than the entry with this number', toEntryCount)
    .addOption(jsonOption('each entry as the API returns it, one per line'))
    .action((options: AuditOptions) => printAudit(readConfig(), options, context));
}

function canOption(byDefault = ''): Option {
  const description = `what the token permits: one or more of ${scopes.join()}${byDefault}`;
  return new Option('--can <scopes>', description).argParser(toScopes);
}

/** The option that selects a resource. Commands have it only if there are several resources. */
interface ResourceOption {
  readonly resource?: RecordType;
}

function addResourceOption(command: Command, types: RecordTypes, byDefault: string): Command {
  if (types.length === 1) return command;
  const plurals = types.map(({ resource }) => resource.plural);
  const option = new Option(
    '--resource <name>',
    `the resource: ${plurals.join(' or ')} (default: ${byDefault})`,
  );
  return command.addOption(
    option.argParser((text) => {
      const found = types.find(({ resource: { name, plural } }) => [name, plural].includes(text));
      if (found === undefined) throw new InvalidArgumentError(`Specify one of ${plurals.join(', ')}.`);
      return found;
    }),
  );
}

/** The placeholders of option values in the help, by field kind. */
const placeholders: Readonly<Record<Kind, string>> = {
  text: 'text',
  int64: 'integer',
  boolean: 'true|false',
  time: 'time',
  int64List: 'integers',
};

/** Returns a field's option, such as `--valid-from`. */
const optionOf = (name: string, prefix = '--') =>
  `${prefix}${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/**
 * Parses the options that are named after fields, with the resource's schemas.
 *
 * @param toInput converts an option's text, or `false` for a field to remove, to a value that the schema parses
 */
function readValues(
  command: Command,
  { resource }: RecordType,
  schemas: Readonly<Record<string, z.ZodType>>,
  options: Readonly<Record<string, unknown>>,
  toInput: (field: Field, given: unknown) => unknown = (_, text) => text,
): Readonly<Record<string, unknown>> {
  const read = ([name, given]: [string, unknown]): [string, unknown] => {
    const [field, schema] = [resource.fields[name], schemas[name]];
    if (field === undefined || schema === undefined)
      return command.error(`error: option '${optionOf(name)}' does not apply to ${resource.plural}`);
    const { data, error } = schema.safeParse(toInput(field, given));
    if (error === undefined) return [name, data];
    const argument = typeof given === 'string' ? ` argument '${given}'` : '';
    return command.error(
      `error: option '${optionOf(name)}'${argument} is invalid. It ${error.issues[0]?.message}.`,
    );
  };
  return Object.fromEntries(Object.entries(options).map(read));
}

const anyOf = new Intl.ListFormat('en-US', { type: 'disjunction' });
const anyRecordOf = (types: RecordTypes) =>
  anyOf.format(types.map(({ resource }) => withArticle(resource.name)));

function addRecords(
  program: Command,
  { context, readConfig }: ProgramDependencies,
  types: RecordTypes,
): void {
  const [first] = types;
  const plurals = pluralsOf(types);
  const { plural } = first.resource;
  const toId = parserOf(
    Int64ParameterSchema,
    `Specify the ID of ${anyRecordOf(types)}, from ${INT64_MIN} to ${INT64_MAX}.`,
  );
  // If several resources have a field with the same name, the first resource's field counts.
  const allFields = new Map(types.toReversed().flatMap(({ resource }) => fieldsOf(resource)));
  const fields = [...allFields];

  const listCommand = addResourceOption(program.command('list'), types, plural).description(
    `print the ${plurals} that match, in ascending order of ID`,
  );
  for (const [name, { filter, kind, label }] of fields)
    if (filter)
      listCommand.option(
        `${optionOf(name)} <${kind === 'text' ? name : placeholders[kind]}>`,
        `only records with exactly this ${label.toLowerCase()}`,
      );
  const searched = fields.flatMap(([, { search, label }]) => (search ? label.toLowerCase() : []));
  listCommand
    .option(
      '--query <text>',
      `only records with this text in the ${anyOf.format(searched)}, ignoring case`,
      toQuery,
    )
    .option(
      '--added-from <time>',
      'only records stored at this time or later, such as 2026-11-25T10:00:00Z or 2026-11-25T11:00:00+01:00',
      toTime,
    )
    .option('--added-before <time>', 'only records stored before this time', toTime)
    .option('--newest', 'newest first')
    .addOption(
      new Option('--by', 'also print which tokens added and last updated each record').conflicts('format'),
    )
    .addOption(new Option('--format <format>', 'the output format').choices(formatNames).default('table'))
    .addOption(jsonOption(`each record as the API returns it, one per line`).conflicts('format'))
    .action((all: Omit<ListOptions, 'equal'> & ResourceOption, command: Command) => {
      const { resource: type = first, ...options } = all;
      if (options.query !== undefined && type.query['q'] === undefined)
        return command.error(`error: option '--query' does not apply to ${type.resource.plural}`);
      const given = Object.entries(options).filter(([name]) => allFields.has(name));
      const equal = readValues(command, type, type.query, Object.fromEntries(given));
      return list(readConfig(), type, { ...options, equal }, context);
    });
  addResourceOption(program.command('export'), types, 'all')
    .description(`write all ${plurals} as NDJSON, one per line, or as CSV, in order of ID`)
    .option('--output <file>', 'write to a new file instead of standard output')
    .addOption(
      new Option('--format <format>', 'the file format').choices(['ndjson', 'csv']).default('ndjson'),
    )
    .action(({ resource, ...options }: ExportOptions & ResourceOption, command: Command) => {
      const chosen = resource === undefined ? types : [resource];
      if (options.format === 'csv' && chosen.length > 1)
        return command.error(
          'error: a CSV file can contain only one resource: specify it with --resource <name>',
        );
      return exportRecords(readConfig(), chosen, options, context);
    });
  addResourceOption(program.command('import'), types, 'all')
    .description(
      `store the ${plurals} from a CSV file, a TSV file, or an NDJSON file in the export format; ${plurals} already stored are left unchanged`,
    )
    .argument('[file]', 'the file (default: standard input)')
    .option('--from-line <number>', 'the line to start with, to resume an earlier import', toLineNumber, 1)
    .option('--reuse-deleted-ids', `allow ${plurals} in the file to reuse the IDs of deleted ${plurals}`)
    .addOption(
      new Option(
        '--format <format>',
        'the file format (default: from the file extension, or ndjson); the first line of a CSV or TSV file must contain the column names',
      ).choices(importFormats),
    )
    .addOption(jsonOption('the totals'))
    .action(
      (
        file: string | undefined,
        { resource: onlyType, ...options }: Omit<ImportOptions, 'file'> & ResourceOption,
      ) => importRecords(readConfig(), types, { file, onlyType, ...options }, context),
    )
    .addHelpText(
      'after',
      '\nInvalid lines are reported on standard error and skipped; the exit status is then 1.',
    );
  addResourceOption(program.command('show'), types, plural)
    .description('print a record, including when and by which token it was added, updated, or deleted')
    .argument('<id>', `the ID of ${anyRecordOf(types)}`, toId)
    .option('--history', 'print all states of the record, newest first, one per line')
    .addOption(jsonOption('everything as one object'))
    .action((id: bigint, { resource: type = first, ...options }: ShowOptions & ResourceOption) =>
      show(readConfig(), type, id, options, context),
    );
  const labels = fields.map(([, { label }]) => `the ${label.toLowerCase()}`);
  const updateCommand = addResourceOption(program.command('update'), types, plural)
    .description(
      `update ${anyOf.format(labels)} of ${anyRecordOf(types)}, and print the record; retrying the create request does not undo the update`,
    )
    .argument('<id>', `the ID of ${anyRecordOf(types)}`, toId)
    .addOption(jsonOption('the record as the API returns it'))
    .action((id: bigint, all: JsonOption & ResourceOption & Record<string, unknown>, command: Command) => {
      const { resource: type = first, json, ...given } = all;
      if (Object.keys(given).length === 0)
        return command.error('error: specify at least one field to update');
      const values = readValues(command, type, type.fields, given, (field, text) => {
        if (typeof text !== 'string') return undefined;
        return field.kind === 'text' ? text : readCell(field, text);
      });
      return update(readConfig(), type, { id, values, json }, context);
    });
  for (const [name, { kind, label }] of fields) {
    updateCommand.option(`${optionOf(name)} <${placeholders[kind]}>`, `its ${label.toLowerCase()}`);
    const isOptional = types.some(({ resource: { fields } }) => fields[name] && !fields[name].required);
    if (isOptional) updateCommand.option(optionOf(name, '--no-'), `remove its ${label.toLowerCase()}`);
  }
  addResourceOption(
    program.command('delete'),
    types,
    `${plural}, or the resource that a line in the file specifies`,
  )
    .description(`delete ${plurals}: their fields are erased, and their IDs stay reserved`)
    .usage('(<id>... | --from <file>) [options]')
    .argument('[id...]', `the IDs of the ${plurals}`, (text, ids: bigint[] = []) => [...ids, toId(text)])
    .option(
      '--from <file>',
      'a file with an ID on each line, or NDJSON as export writes it; - for standard input',
    )
    .option(
      '--from-line <number>',
      'the line to start from when you resume an earlier delete',
      toLineNumber,
      1,
    )
    .addOption(jsonOption('the totals'))
    .action((ids: bigint[], all: Omit<DeleteOptions, 'ids'> & ResourceOption, command: Command) => {
      const { resource: onlyType, ...options } = all;
      const { from, fromLine } = options;
      if (ids.length > 0 ? from !== undefined || fromLine > 1 : from === undefined)
        return command.error('error: specify either IDs or --from <file>');
      return deleteRecords(readConfig(), types, { ids, onlyType, ...options }, context);
    })
    .addHelpText(
      'after',
      '\nIDs that were never used, and invalid lines, are reported on standard error; the exit status is then 1.',
    );
}

function addDatabase(
  program: Command,
  { context, readConfig, environment }: ProgramDependencies,
  types: RecordTypes,
): void {
  program
    .command('migrate')
    .description('create the database if needed and apply pending migrations')
    .option(
      '--distribute [shards]',
      `distribute the ${pluralsOf(types)} across the nodes of a Citus cluster in this number of shards (default: 2 per node, but at least 4)`,
      toShardCount,
    )
    .addOption(jsonOption('the names of the applied migrations'))
    .action((options: JsonOption & { distribute?: number | true }) =>
      migrate(readConfig(), options, context),
    );
  program
    .command('backup')
    .description('copy a SQLite database while services use it, and check the copy')
    .argument(
      '[target]',
      'a new file, a folder, or s3://bucket/prefix (default: BACKUP_TO, or the backups folder next to the database)',
    )
    .option(
      '--keep <number>',
      'how many backups of this store to keep in the folder or bucket, including the new one; older backups are then removed (default: all, or BACKUP_KEEP if no target is specified)',
      toKeptCount,
    )
    .addOption(jsonOption('the backup, its SHA-256, and its record counts'))
    .action((target: string | undefined, options: JsonOption & { keep?: number }) =>
      backUp(readConfig(), { target, ...options }, environment, context),
    )
    .addHelpText(
      'after',
      '\nS3 targets use AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_ENDPOINT_URL_S3, and AWS_S3_ADDRESSING_STYLE.',
    );
  program
    .command('restore')
    .description('check a backup, and restore it in place of a SQLite database that no service is using')
    .argument(
      '<source>',
      'a backup file, a folder, or s3://bucket/prefix/; for the last two, the latest backup is used',
    )
    .option('--dry-run', 'check the backup without changing anything')
    .option('--from-other-store', 'accept a backup from another store; this store keeps its ID')
    .option('--keep-additions', 'accept indexes, triggers, views, and tables that no migration creates')
    .addOption(jsonOption('the backup, its contents, and the outcome'))
    .action((source: string, options: Omit<RestoreOptions, 'source'>) =>
      restore(readConfig(), { source, ...options }, environment, context),
    );
  program
    .command('invalidate-cursors')
    .description('after a restore with another tool, make programs that follow changes read everything again')
    .action(async () => {
      await invalidateCursors(readConfig());
      await context.message(
        'All change cursors have expired: programs that follow changes get the error cursor_expired and read everything again.',
      );
    });
}

/** Returns a parser that validates an argument with a schema, and fails with the advice if it does not match. */
function parserOf<Value>(schema: z.ZodType<Value>, advice: string): (text: string) => Value {
  return (text) => {
    const { data, success } = schema.safeParse(text);
    if (!success) throw new InvalidArgumentError(advice);
    return data;
  };
}

const toName = parserOf(
  z.string().refine((text) => text.trim() !== '' && !/\p{Cc}/u.test(text)),
  'Specify a name for the token: one line of text.',
);
const toScopes = parserOf(
  z
    .string()
    .transform((text) => text.split(',').map((name) => currentScope(name.trim())))
    .pipe(z.array(z.enum(scopes)))
    .transform((names): readonly Scope[] => scopes.filter((scope) => names.includes(scope))),
  `Specify one or more of ${scopes.join()}.`,
);
const toUrl = parserOf(
  z.url({ protocol: /^https?$/ }).transform((text) => new URL(text)),
  'Specify a URL, such as http://127.0.0.1:3001.',
);
const toTime = parserOf(
  QueryTimeSchema,
  'Specify a time with its offset from UTC, such as 2026-11-25T10:00:00Z or 2026-11-25T11:00:00+01:00.',
);
const toTokenId = parserOf(wholeNumber(1, 999_999_999), 'Specify the ID that token list shows.');
const toKeptCount = parserOf(wholeNumber(0, 100_000), 'Specify the number of backups to keep, or 0 for all.');
const toRate = parserOf(
  wholeNumber(1, MAX_RATE_PER_MINUTE),
  `Specify a number of requests from 1 to ${MAX_RATE_PER_MINUTE}.`,
);
const toEntryCount = parserOf(wholeNumber(1, 999_999_999_999_999), 'Specify a number that is at least 1.');
const toLineNumber = parserOf(
  wholeNumber(1, 999_999_999_999_999),
  'Specify a line number that is at least 1.',
);
/** Citus allows 64,000 shards. Each shard is a table on a node. */
const toShardCount = parserOf(wholeNumber(1, 32_000), 'Specify a number of shards from 1 to 32000.');
const toQuery = parserOf(
  z.string().refine((text) => [...text].length <= QUERY_MAX_LENGTHS.q),
  `Specify at most ${QUERY_MAX_LENGTHS.q} characters.`,
);

function toExpiry(text: string): Date | null {
  return text === 'never' ? null : new Date(Date.now() + toDurationMs(text));
}

const unitsMs: ReadonlyMap<string, number> = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
]);

/** Parses a duration such as `90s`, `30m`, `12h`, `30d`, or `52w`, and returns it in milliseconds. */
export function toDurationMs(text: string): number {
  const [, amount, unit = ''] = /^([1-9]\d{0,5})([smhdw])$/.exec(text) ?? [];
  const durationMs = Number(amount) * (unitsMs.get(unit) ?? Number.NaN);
  if (Number.isNaN(durationMs))
    throw new InvalidArgumentError('Specify a number and a unit, such as 12h or 30d.');
  // `token import` accepts only years with four digits (RFC 3339).
  if (new Date(Date.now() + durationMs).getUTCFullYear() > 9_999)
    throw new InvalidArgumentError('Specify a duration that ends before the year 10000.');
  return durationMs;
}

/**
 * Whether npx runs the packed service directly. Child processes inherit npx's environment, so this also compares the command name
 * (https://docs.npmjs.com/cli/using-npm/scripts, "Environment").
 */
function isRunByNpx(environment: NodeJS.ProcessEnv): boolean {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script = '' } = environment;
  return event === 'npx' && /^\W?plant-store\b/.test(script);
}
