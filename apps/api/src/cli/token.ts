import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { TimeSchema } from '@plant-store/contract';
import {
  currentScope,
  defaultScopes,
  isAccessTokenFormat,
  type Scope,
  scopes,
} from '@plant-store/contract/access-token';
import { escapeInvisible } from '@plant-store/contract/escape-invisible';
import { stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import { MAX_RATE_PER_MINUTE, shorten } from '@plant-store/contract/messages';
import type { IssuedToken } from '@plant-store/contract/operations';
import { type Action, fieldsOf, type Resource, scopesOf } from '@plant-store/contract/resource';
import { routes } from '@plant-store/contract/routes';
import {
  type AccessToken,
  isEnded,
  ServiceError,
  showToken,
  successorOf,
  type TokenRequest,
} from '@plant-store/records';
import * as z from 'zod';
import { isLoopback } from '../auth/jwt-settings.js';
import {
  type AccessTokenStore,
  createTokenService,
  type HashedAccessToken,
  hashAccessToken,
  type TokenService,
} from '../auth/token-service.js';
import type { Config } from '../config.js';
import { messageOf, OperatorError } from '../errors/operator-error.js';
import { reachableUrl } from '../observe/readiness.js';
import { docsPath } from '../package-folder.js';
import { operator } from '../runtime/operator.js';
import {
  type CliContext,
  countOf,
  type JsonOption,
  reportOutcome,
  toJsonLine,
  writeAll,
  writeResult,
} from './cli-context.js';
import { reasonOf, withDatabase } from './database.js';
import { explainUnreadable, quote } from './file-access.js';
import { recordTypes, splitLines } from './formats.js';

export interface TokenOutputOptions extends JsonOption {
  /** The page's address for the link; `true` stands for this machine. If omitted, no link is printed. */
  readonly link?: URL | boolean;
}

/**
 * Issues an access token, and prints only the token, so that a script can read it. With `link`, prints a link to the page with the token
 * instead, plus a QR code on a terminal. With `--json`, prints the token as `POST /tokens` returns it, and the link.
 *
 * @throws {OperatorError} if the token cannot be printed. It is then revoked
 */
export async function createToken(
  config: Config,
  request: TokenRequest,
  { link, json = false }: TokenOutputOptions,
  context: CliContext,
): Promise<void> {
  const page = link === true ? reachableUrl(config.host, config.port) : link;
  const toLink = page && ((secret: string) => `${page.href.replace(/\/?$/, '/')}#token=${secret}`);
  await withDatabase(config, {}, async ({ accessTokens: store }) => {
    const format = createTokenFormat(json, toLink || undefined);
    const secret = await issueAndPrint(createTokenService(store), request, context, format);
    if (!page || !toLink) {
      if (config.port !== 0) context.message(describeUseOf(config, request.scopes));
      return;
    }
    if (context.isTerminal && !json) context.print(await drawQrCode(toLink(secret)));
    if (isLoopback(page.hostname))
      context.message(
        'The link works only on this machine. For other machines, specify the page address with --link.',
      );
  });
}

/** Returns how to print a new token: only its text or link, or with `--json` as `POST /tokens` returns it, and its link. */
function createTokenFormat(json: boolean, toLink?: (secret: string) => string): FormatToken {
  return (secret, token) => {
    const issued: IssuedToken = { ...showToken(token), secret };
    return json ? toJsonLine({ ...issued, link: toLink?.(secret) }) : `${toLink?.(secret) ?? secret}\n`;
  };
}

/** Draws a QR code in the colors that cameras read on any terminal: black on white. */
async function drawQrCode(text: string): Promise<string> {
  // Loaded here because few commands need it.
  const { renderUnicodeCompact } = await import('uqr');
  const lines = renderUnicodeCompact(text, { border: 4 }).split('\n');
  return lines.map((line) => `\u001b[40;97m${line}\u001b[0m\n`).join('');
}

type TokenOutput = Pick<CliContext, 'commandName' | 'output' | 'message'>;

type FormatToken = (secret: string, token: AccessToken) => string;

async function issueAndPrint(
  accessTokens: TokenService,
  request: TokenRequest,
  { commandName, output, message }: TokenOutput,
  format: FormatToken,
  replaced?: AccessToken,
): Promise<string> {
  const { secret, token } = await accessTokens.issue(request, replaced);
  try {
    await writeAll(output, format(secret, token));
  } catch (cause) {
    // The token was never delivered.
    const isRevoked = await accessTokens.revoke(token.id).then(
      () => true,
      () => false,
    );
    const next = isRevoked
      ? 'It was revoked, and nothing else was changed.'
      : `Nothing else was changed. Revoke the token with: ${commandName} token revoke ${token.id}`;
    throw new OperatorError(`The new token ${token.id} could not be printed: ${messageOf(cause)}\n${next}`, {
      cause,
    });
  }
  message(describeIssued(token));
  return secret;
}

interface RotationRequest extends JsonOption {
  readonly id: number;
  /** How long the old token stays valid, in milliseconds, at most until its expiry; 0 revokes it. */
  readonly overlapMs: number;
  /** When the new token expires; `null` for never. By default, it has the same lifetime as the old one. */
  readonly expiresAt?: Date | null | undefined;
  /** What the new token permits. Default: the same as the old one. */
  readonly scopes?: readonly Scope[] | undefined;
}

/** Issues an access token that replaces another one, prints the new token as `createToken` does, and then makes the old one expire. */
export async function rotateToken(
  config: Config,
  request: RotationRequest,
  context: CliContext,
): Promise<void> {
  await withDatabase(config, { mustExist: true }, async ({ accessTokens: store }) => {
    context.message(describeReplaced(await replaceToken(store, request, context)));
  });
}

/**
 * Replaces an access token: issues one with the same name, prints it, and only then makes the old one expire. So the user has a working
 * token at all times, even if this process fails or is killed. One transaction for both could not ensure that. It would have to commit
 * before the token is printed, which can fail, or stay open until then, which blocks all writes.
 *
 * @returns the old token with its new expiry
 * @throws {OperatorError} if there is no such token, it is no longer valid, the new token cannot be printed, or the database fails after
 * that. The message says which tokens work
 */
export async function replaceToken(
  store: Parameters<typeof createTokenService>[0],
  { id, overlapMs, expiresAt, scopes, json = false }: RotationRequest,
  context: TokenOutput,
  now: () => number = Date.now,
): Promise<AccessToken> {
  const { commandName } = context;
  const old = await store.find(id);
  if (old === null) throw unknownToken(id, context);
  if (isEnded(old, now()))
    throw new OperatorError(
      `Token ${id} "${escapeInvisible(old.name)}" cannot be rotated (${describeState(old)}). Issue a new token with: ${commandName} token create --name NAME`,
    );
  const accessTokens = createTokenService(store, now);
  const { expiresAt: sameExpiry, ...same } = successorOf(old, now());
  const expiry = expiresAt === undefined ? sameExpiry : expiresAt;
  const request = { ...same, ...(scopes && { scopes }), ...(expiry && { expiresAt: expiry }) };
  await issueAndPrint(accessTokens, request, context, createTokenFormat(json), old);
  try {
    return (await accessTokens.expireAfter(id, overlapMs)) ?? old;
  } catch (cause) {
    const reason = cause instanceof ServiceError ? reasonOf(cause) : messageOf(cause);
    throw new OperatorError(
      `Token ${id} could not be set to expire because of a database error: ${reason}\nBoth tokens still work. Once the new token is in use, run: ${commandName} token revoke ${id}`,
      { cause },
    );
  }
}

/** Prints all access tokens without their texts, one per line. With `--json`, prints them as `GET /tokens` returns them. */
export async function listTokens(
  config: Config,
  { json = false }: JsonOption,
  context: CliContext,
): Promise<void> {
  await withDatabase(config, { mustExist: true }, async ({ accessTokens: store }) => {
    const tokens = await store.list();
    if (tokens.length === 0)
      context.message(`There are no tokens. Issue one with: ${context.commandName} token create --name NAME`);
    else if (json) await writeResult(context, tokens.map(toTokenLine).join(''));
    else await writeResult(context, `${columns.join('\t')}\n${tokens.map(describe).join('')}`);
  });
}

/**
 * Reads access tokens from standard input, one per line, for example leaked tokens, and prints each as `listTokens` does. Arguments are not
 * an option, because other users of the machine can see them.
 *
 * @throws {OperatorError} if some are not tokens of this database, after printing their line numbers, not the tokens
 */
export async function findTokens(
  config: Config,
  { json = false }: JsonOption,
  context: CliContext,
): Promise<void> {
  await withDatabase(config, { mustExist: true }, async ({ accessTokens: store }) => {
    let count = 0;
    let missing = 0;
    for await (const [number, line] of readLines(context.input)) {
      count++;
      const token = isAccessTokenFormat(line) ? await store.findByHash(hashAccessToken(line)) : undefined;
      if (token) {
        await writeResult(context, json ? toTokenLine(token) : describe(token));
      } else {
        missing++;
        const reason = token === null ? 'not in this database' : 'not a token, or mistyped';
        await context.message(`line ${number}: ${reason}`);
      }
    }
    if (count === 0) throw new OperatorError('Pass the tokens on standard input, one per line.');
    if (missing > 0) throw new OperatorError(`${missing} of ${countOf(count, 'token')} could not be found.`);
  });
}

/**
 * Revokes an access token. It stops working in running services within 5 seconds.
 *
 * @param which the token's ID, or its name if only one valid token has that name
 * @throws {OperatorError} if there is no such token, or if there are several
 */
export async function revokeToken(
  config: Config,
  which: number | string,
  options: JsonOption,
  context: CliContext,
): Promise<void> {
  await withDatabase(config, { mustExist: true }, async ({ accessTokens: store }) => {
    const id = typeof which === 'number' ? which : await findByName(store, which, context);
    const token = await store.revoke(id, new Date(), operator());
    if (token === null) throw unknownToken(id, context);
    await reportOutcome(context, options, showToken(token), describeReplaced(token));
  });
}

/** Prints all access tokens as NDJSON, each with its hash instead of its text, which is enough to verify it elsewhere. */
export async function exportTokens(config: Config, context: CliContext): Promise<void> {
  await withDatabase(config, { mustExist: true }, async ({ accessTokens: store }) => {
    const tokens = await store.listHashed();
    await writeResult(context, tokens.map((token) => `${JSON.stringify(token)}\n`).join(''));
    await context.message(`${countOf(tokens.length, 'token')} exported.`);
  });
}

/**
 * Adds the access tokens from an NDJSON file, as `exportTokens` prints it. A token that exists already is kept, but is revoked if the
 * imported one is. If a line is invalid, nothing is changed.
 */
export async function importTokens(
  config: Config,
  file: string | undefined,
  options: JsonOption,
  context: CliContext,
): Promise<void> {
  const { folder } = context;
  const path = resolve(folder, file ?? '');
  const input = file === undefined ? context.input : createReadStream(path);
  const tokens = await readTokens(input, (error) => explainUnreadable(error, quote(path), folder));
  await withDatabase(config, {}, async ({ accessTokens: store }) => {
    let added = 0;
    for (const token of tokens) if (await store.importToken(token, operator())) added++;
    const alreadyThere = tokens.length - added;
    const words = `${added} imported, ${alreadyThere} already there`;
    await reportOutcome(context, options, { imported: added, alreadyThere }, words);
  });
}

async function findByName(
  store: Pick<AccessTokenStore, 'list'>,
  name: string,
  { commandName }: TokenOutput,
): Promise<number> {
  const named = (await store.list()).filter((token) => token.name === name && !isEnded(token, Date.now()));
  const [token] = named;
  if (token !== undefined && named.length === 1) return token.id;
  const problem =
    token === undefined
      ? `There is no valid token named "${escapeInvisible(name)}".`
      : `Several valid tokens are named "${escapeInvisible(name)}": ${named.map(({ id }) => id).join(', ')}. Specify the ID of one of them.`;
  throw new OperatorError(`${problem} List all tokens with: ${commandName} token list`);
}

function unknownToken(id: number, { commandName }: TokenOutput): OperatorError {
  return new OperatorError(`There is no token ${id}. List all tokens with: ${commandName} token list`);
}

/** Formats a list such as `create, read, and delete`. */
const scopeList = new Intl.ListFormat('en-US');

function describeIssued(token: AccessToken): string {
  return `Issued token ${token.id} "${escapeInvisible(token.name)}", which ${describeExpiry(token)}. ${describeScopes(token)} It is shown only once: keep it safe.
Send it with each request, in the header  Authorization: Bearer <token>`;
}

function describeScopes({ scopes, ratePerMinute }: AccessToken): string {
  const sentences = [
    ...recordTypes.flatMap(({ resource }) => {
      const actions = grantedOf(resource, scopes).map((scope) => scope.replace(/^.*:/, ''));
      return actions.length === 0 ? [] : `It can ${scopeList.format(actions)} ${resource.plural}.`;
    }),
    ...(scopes.includes('admin') ? ['It can create, rotate, and revoke tokens.'] : []),
    ...(ratePerMinute ? [`It can make up to ${ratePerMinute} requests a minute.`] : []),
  ];
  return sentences.join(' ');
}

const grantedOf = (resource: Resource, granted: readonly string[]): readonly string[] =>
  scopesOf(resource).filter((scope) => granted.includes(scope));

/** Says how to try a new token, based on its scopes. The message does not contain the token. */
function describeUseOf(
  { host, port, pageFolder }: Config,
  granted: readonly Scope[] = defaultScopes,
): string {
  const { origin } = reachableUrl(host, port);
  const page = pageFolder === undefined ? '' : ` on the page ${origin}/ or`;
  return `While the service is running, try the token${page} with this command after you set  TOKEN=<token>  in the shell (for a Windows terminal, see ${docsPath('docs/use/api.md')}):
${createCurl(origin, '$TOKEN', granted)}`;
}

/**
 * Returns a one-line `curl` command for a POSIX shell that the token's scopes permit: it stores a record, otherwise lists records,
 * otherwise shows the token.
 *
 * @param baseUrl the URL of the service, such as `http://127.0.0.1:3000`
 * @param token what the shell expands to the access token within double quotes, such as `$TOKEN`
 */
export function createCurl(
  baseUrl: string,
  token: string,
  granted: readonly Scope[] = defaultScopes,
): string {
  const send = (path: string) => `curl -i ${baseUrl}${path} -H "Authorization: Bearer ${token}"`;
  const find = (action: Action) =>
    recordTypes.find(({ resource }) =>
      grantedOf(resource, granted).some((scope) => scope.replace(/^.*:/, '') === action),
    )?.resource;
  const created = find('create');
  if (created !== undefined) {
    const examples = fieldsOf(created).map(
      ([name, { example }]) => `"${name}": ${stringifyExactJson(example)}`,
    );
    const record = `{${['"id": 1', ...examples].join(', ')}}`;
    return `${send(`/${created.plural}`)} -H 'Content-Type: application/json' -d ${quote(record)}`;
  }
  const read = find('read');
  return send(read === undefined ? routes.getOwnToken.path : `/${read.plural}`);
}

function describeReplaced(token: AccessToken): string {
  const name = `Token ${token.id} "${escapeInvisible(token.name)}"`;
  if (token.revokedAt !== null) return `${name} is revoked; running services reject it within 5 seconds.`;
  return `${name} ${describeExpiry(token)}; until then, both tokens work.`;
}

const toTokenLine = (token: AccessToken) => toJsonLine(showToken(token));

const columns = ['ID', 'NAME', 'CREATED', 'EXPIRY', 'LAST USE', 'RATE', 'SCOPES'];

function describe(token: AccessToken): string {
  const { id, name, createdAt, lastUsedAt, ratePerMinute, scopes } = token;
  const created = `created ${createdAt.toISOString()}`;
  const use = lastUsedAt === null ? 'never used' : `last used ${lastUsedAt.toISOString()}`;
  const rate = ratePerMinute ? `${ratePerMinute} a minute` : 'default rate';
  return `${[id, escapeInvisible(name), created, describeState(token), use, rate, scopes.join()].join('\t')}\n`;
}

function describeState(token: AccessToken): string {
  if (token.revokedAt !== null) return `revoked ${token.revokedAt.toISOString()}`;
  return describeExpiry(token);
}

function describeExpiry({ expiresAt }: AccessToken): string {
  if (expiresAt === null) return 'never expires';
  return `${expiresAt.getTime() <= Date.now() ? 'expired' : 'expires'} ${expiresAt.toISOString()}`;
}

const DateSchema = TimeSchema.transform((ms) => new Date(ms));
const HashedAccessTokenSchema = z.strictObject({
  name: z.string().min(1),
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be a hexadecimal SHA-256 hash'),
  // Before scopes were introduced, tokens could only create records.
  scopes: z
    .array(z.string().transform(currentScope).pipe(z.enum(scopes)))
    .min(1)
    .default((): Scope[] => ['create']),
  createdAt: DateSchema,
  expiresAt: DateSchema.nullable(),
  revokedAt: DateSchema.nullable(),
  // Version 1.0 did not export this.
  lastUsedAt: DateSchema.nullable().default(null),
  // Version 1.3 did not export this.
  ratePerMinute: z.int().min(1).max(MAX_RATE_PER_MINUTE).nullable().default(null),
});

/** The maximum number of invalid lines to report. If there are any, nothing is imported, so the rest of the file is not read. */
const maxInvalidLines = 20;

async function readTokens(
  input: AsyncIterable<Buffer>,
  explain: (error: unknown) => string,
): Promise<readonly HashedAccessToken[]> {
  const tokens: HashedAccessToken[] = [];
  const invalidLines: string[] = [];
  try {
    for await (const [number, line] of readLines(input)) {
      const { data: token, error } = HashedAccessTokenSchema.safeParse(parseJson(line));
      if (token !== undefined) tokens.push(token);
      else invalidLines.push(`  line ${number}: ${error.issues.map(describeIssue).join('; ')}`);
      if (invalidLines.length === maxInvalidLines) break;
    }
  } catch (error) {
    throw new OperatorError(`The tokens cannot be read: ${messageOf(error)}${explain(error)}`, {
      cause: error,
    });
  }
  if (invalidLines.length === 0) return tokens;
  throw new OperatorError(
    `No tokens were imported, because the file is not in the format that token export prints.\n${invalidLines.join('\n')}`,
  );
}

/** The maximum length of a line with a token, in bytes. */
const maxLineBytes = 2 ** 20;

/** Yields the nonblank lines with their numbers. A line that is too long for a token is empty. */
async function* readLines(input: AsyncIterable<Buffer>): AsyncGenerator<readonly [number, string]> {
  for await (const { number, bytes } of splitLines(input, maxLineBytes)) {
    const line = bytes?.toString('utf8').trim();
    if (line !== '') yield [number, line ?? ''];
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  // The message may quote unknown members of the line.
  const text = escapeInvisible(shorten(message), 'escapes');
  return path.length === 0 ? text : `${path.join('.')}: ${text}`;
}
