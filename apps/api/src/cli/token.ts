import type { AccessToken } from '../auth/access-token-store.js';
import { type AccessTokens, createAccessTokens } from '../auth/access-tokens.js';
import type { Config } from '../config.js';
import type { OpenOptions } from '../database/database.js';
import { openDatabase } from '../database/open-database.js';
import { OperatorError } from '../errors/operator-error.js';
import type { CliContext } from './support/cli-context.js';

/** Issues an access token and prints it, alone, so that a script can take it. */
export async function createToken(
  config: Config,
  request: { readonly name: string; readonly expiresAt?: Date },
  context: CliContext,
): Promise<void> {
  await withAccessTokens(config, {}, async (accessTokens) => {
    const { text, token } = await accessTokens.issue(request);
    context.print(`${text}\n`);
    context.message(
      `Issued token ${token.id} "${token.name}", which ${describeExpiry(token)}. It is shown only once: keep it safe.`,
    );
  });
}

/** Prints all access tokens without their texts, one a line. */
export async function listTokens(config: Config, context: CliContext): Promise<void> {
  await withAccessTokens(config, { mustExist: true }, async (accessTokens) => {
    const tokens = await accessTokens.list();
    if (tokens.length === 0)
      context.message('There are no tokens. Issue one with: plant-store token create --name NAME');
    for (const token of tokens) {
      const columns = [
        token.id,
        token.name,
        `created ${token.createdAt.toISOString()}`,
        describeState(token),
        describeUse(token),
      ];
      context.print(`${columns.join('\t')}\n`);
    }
  });
}

/** Revokes an access token: it stops working in running services within 5 seconds. */
export async function revokeToken(config: Config, id: number, context: CliContext): Promise<void> {
  await withAccessTokens(config, { mustExist: true }, async (accessTokens) => {
    const token = await accessTokens.revoke(id);
    if (token === null)
      throw new OperatorError(`There is no token ${id}. See them with: plant-store token list`);
    context.message(
      `Token ${token.id} "${token.name}" is revoked; running services reject it within 5 seconds.`,
    );
  });
}

async function withAccessTokens(
  config: Config,
  options: OpenOptions,
  use: (accessTokens: AccessTokens) => Promise<void>,
): Promise<void> {
  const database = await openDatabase(config.database, options);
  try {
    await use(createAccessTokens(database.accessTokens));
  } finally {
    await database.close();
  }
}

function describeState(token: AccessToken): string {
  if (token.revokedAt !== null) return `revoked ${token.revokedAt.toISOString()}`;
  return describeExpiry(token);
}

function describeUse({ lastUsedAt }: AccessToken): string {
  return lastUsedAt === null ? 'never used' : `last used ${lastUsedAt.toISOString()}`;
}

function describeExpiry({ expiresAt }: AccessToken): string {
  if (expiresAt === null) return 'never expires';
  return `${expiresAt.getTime() <= Date.now() ? 'expired' : 'expires'} ${expiresAt.toISOString()}`;
}
