import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import type { HashedAccessToken } from '../auth/access-token-store.js';
import type { Config } from '../config.js';
import { messageOf, OperatorError } from '../errors/operator-error.js';
import { openDatabase } from '../store/open-database.js';
import type { CliContext } from './cli-context.js';
import { writeResult } from './output.js';
import { countOf } from './progress.js';

/** Prints all access tokens as NDJSON, each with its hash instead of its text, which is enough to verify it elsewhere. */
export async function exportTokens(config: Config, context: CliContext): Promise<void> {
  const database = await openDatabase(config.database, { mustExist: true });
  try {
    const tokens = await database.accessTokens.listHashed();
    await writeResult(context, tokens.map((token) => `${JSON.stringify(token)}\n`).join(''));
    await context.message(`${countOf(tokens.length, 'token')} exported.`);
  } finally {
    await database.close();
  }
}

/**
 * Adds the access tokens of an NDJSON file, as `exportTokens` prints it. A token that exists already is kept, but a
 * revocation is applied to it. A file with an invalid line changes nothing.
 *
 * @param file without one, standard input is read
 */
export async function importTokens(
  config: Config,
  file: string | undefined,
  context: CliContext,
): Promise<void> {
  const input = file === undefined ? context.input : createReadStream(resolve(context.folder, file));
  const tokens = await readTokens(input);
  const database = await openDatabase(config.database);
  try {
    let added = 0;
    for (const token of tokens) {
      if (await database.accessTokens.takeOver(token)) added++;
    }
    context.print(`${added} imported, ${tokens.length - added} already there\n`);
  } finally {
    await database.close();
  }
}

const TimeSchema = z.iso.datetime().transform((text) => new Date(text));
const HashedAccessTokenSchema = z.strictObject({
  name: z.string().min(1),
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal'),
  createdAt: TimeSchema,
  expiresAt: TimeSchema.nullable(),
  revokedAt: TimeSchema.nullable(),
  // Version 1.0 exported none.
  lastUsedAt: TimeSchema.nullable().default(null),
});

async function readTokens(input: NodeJS.ReadableStream): Promise<readonly HashedAccessToken[]> {
  const tokens: HashedAccessToken[] = [];
  const invalidLines: string[] = [];
  let number = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number++;
      if (line.trim() === '') continue;
      const { data: token, error } = HashedAccessTokenSchema.safeParse(parseJson(line));
      if (token !== undefined) tokens.push(token);
      else invalidLines.push(`  line ${number}: ${error.issues.map(describeIssue).join('; ')}`);
    }
  } catch (error) {
    throw new OperatorError(`The tokens cannot be read: ${messageOf(error)}`, { cause: error });
  }
  if (invalidLines.length === 0) return tokens;
  throw new OperatorError(
    `No token was imported: the file is not what token export prints.\n${invalidLines.join('\n')}`,
  );
}

/** The value of a line; `undefined`, which is not a token, when it is not JSON. */
function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}
