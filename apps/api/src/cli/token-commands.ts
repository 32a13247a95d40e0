import { type Command, Option } from 'commander';
import { exportTokens, importTokens } from './move-tokens.js';
import { toExpiry, toName, toOverlapMs, toTokenId } from './parse-arguments.js';
import type { ProgramDependencies } from './program.js';
import { createToken, findTokens, listTokens, revokeToken, rotateToken } from './token.js';

/** How long the old token of a rotation works by default, in milliseconds: an hour. */
const defaultOverlapMs = 3_600_000;

/** Adds the command `token`, with all of its own. */
export function addTokenCommands(program: Command, dependencies: ProgramDependencies): void {
  const token = program
    .command('token')
    .description('issue, list, rotate, revoke and move access tokens')
    .helpCommand(false);
  addCreate(token, dependencies);
  addRotate(token, dependencies);
  addListFindAndRevoke(token, dependencies);
  addExportAndImport(token, dependencies);
}

function addCreate(token: Command, { context, readConfig }: ProgramDependencies): void {
  token
    .command('create')
    .description('issue a token and print it, this once')
    .usage('--name <name> [options]')
    .option('--name <name>', 'who or what the token is for', toName)
    .option(
      '--expires <duration>',
      'how long it is valid: 90s, 30m, 12h, 30d, 52w, or never (default: never)',
      toExpiry,
    )
    .action(({ name, expires }: { name?: string; expires?: Date | null }, command: Command) => {
      // Commander looks for required options before unknown ones, so it would not mention a mistyped `--nmae`.
      if (name === undefined) return command.error("error: required option '--name <name>' not specified");
      return createToken(readConfig(), { name, ...(expires && { expiresAt: expires }) }, context);
    });
}

function addRotate(token: Command, { context, readConfig }: ProgramDependencies): void {
  token
    .command('rotate')
    .description(
      'issue a token that replaces another one, print it, this once, and make the other one expire',
    )
    .argument('<id>', 'the id that token list shows', toTokenId)
    .addOption(
      new Option(
        '--overlap <duration>',
        'how long the other one still works at most: 90s, 30m, 12h; 0 revokes it',
      )
        .argParser(toOverlapMs)
        .default(defaultOverlapMs, '1h'),
    )
    .option(
      '--expires <duration>',
      'how long the new one is valid, or never (default: as long as the other one was issued for)',
      toExpiry,
    )
    .action((id: number, { overlap, expires }: { overlap: number; expires?: Date | null }) => {
      const expiry = expires === undefined ? {} : { expiresAt: expires };
      return rotateToken(readConfig(), { id, overlapMs: overlap, ...expiry }, context);
    });
}

function addListFindAndRevoke(token: Command, { context, readConfig }: ProgramDependencies): void {
  token
    .command('list')
    .description('print all tokens: id, name, creation, expiry or revocation, last use')
    .action(() => listTokens(readConfig(), context));
  token
    .command('find')
    .description(
      'print what token list prints of the tokens on standard input, one a line, such as leaked ones',
    )
    .action(() => findTokens(readConfig(), context));
  token
    .command('revoke')
    .description('revoke a token by its id')
    .argument('<id>', 'the id that token list shows', toTokenId)
    .action((id: number) => revokeToken(readConfig(), id, context));
}

function addExportAndImport(token: Command, { context, readConfig }: ProgramDependencies): void {
  token
    .command('export')
    .description('print all tokens as NDJSON, with their hashes, to move them to another database')
    .action(() => exportTokens(readConfig(), context));
  token
    .command('import')
    .description('add the tokens that token export has printed; they keep working unchanged')
    .argument('[file]', 'the file; standard input by default')
    .action((file: string | undefined) => importTokens(readConfig(), file, context));
}
