import { messageOf } from '../errors/operator-error.js';
import { failure, ok, type Result, type Results, warning } from './finding.js';

/** @param pending the names of the migrations that are not applied yet */
export function describePending(pending: readonly string[]): Result {
  if (pending.length === 0) return ok('up to date');
  return warning(
    `pending: ${pending.join(', ')}`,
    'serve applies them as it starts, and migrate does only that. Make a backup before, as docs/operate/backup.md describes.',
  );
}

/** A token that is not revoked, as stored. */
export interface StoredToken {
  readonly id: number;
  readonly name: string;
  readonly expiresAt: Date | null;
}

/** What tokens are compared with. */
export interface TokenContext {
  /** The current time of this machine, in milliseconds since the epoch. */
  now(): number;
  /** Whether JSON Web Tokens of an identity provider are accepted, too. */
  readonly acceptsJwts: boolean;
}

/** The part that is used of the client that Prisma generates for an engine. */
interface TokenClient {
  readonly accessToken: {
    findMany(query: {
      where: { revokedAt: null };
      select: { id: true; name: true; expiresAt: true };
      orderBy: { id: 'asc' };
    }): Promise<readonly StoredToken[]>;
  };
  $disconnect(): Promise<void>;
}

/** A database that has the tables. */
export interface Tables extends TokenContext {
  createClient(): TokenClient;
  /** Finds what the engine has reported in an error of the client, whose own message is long. */
  findDriverError(error: unknown): { readonly message: string } | undefined;
}

/** Whether there are tokens that are valid, and stay so. */
export async function inspectTokens({ createClient, findDriverError, ...context }: Tables): Promise<Results> {
  const client = createClient();
  try {
    const tokens = await client.accessToken.findMany({
      where: { revokedAt: null },
      select: { id: true, name: true, expiresAt: true },
      orderBy: { id: 'asc' },
    });
    return assessTokens(tokens, context);
  } catch (error) {
    return failure(findDriverError(error)?.message ?? messageOf(error));
  } finally {
    await client.$disconnect();
  }
}

/** How long before its expiry a token is reported, in milliseconds, unless one of the same name, as after a rotation, lasts longer. */
const noticeMs = 7 * 24 * 60 * 60 * 1000;

/** The most tokens that one finding names. */
const maxNamed = 10;

export function assessTokens(tokens: readonly StoredToken[], context: TokenContext): Result {
  const now = context.now();
  const expiresBy = (time: number) => (token: StoredToken) =>
    token.expiresAt !== null && token.expiresAt.getTime() <= time;
  const valid = tokens.filter((token) => !expiresBy(now)(token));
  if (valid.length === 0 && context.acceptsJwts)
    return ok('none of the service is valid, JSON Web Tokens are accepted');
  if (valid.length === 0)
    return warning(
      'there is none that is valid, so every create is rejected with 401',
      'Issue one: plant-store token create --name NAME',
    );
  const isExpiring = expiresBy(now + noticeMs);
  const lasting = new Set(valid.filter((token) => !isExpiring(token)).map(({ name }) => name));
  const expiring = valid.filter((token) => isExpiring(token) && !lasting.has(token.name));
  if (expiring.length === 0) return ok(`${valid.length} valid`);
  const named = expiring
    .slice(0, maxNamed)
    .map(({ id, name, expiresAt }) => `"${name}" (${id}) expires ${expiresAt?.toISOString()}`);
  const more = expiring.length > maxNamed ? `, and ${expiring.length - maxNamed} more soon` : '';
  return warning(
    `${valid.length} valid, of which ${named.join(', ')}${more}`,
    `Replace ${expiring.length === 1 ? `it: plant-store token rotate ${expiring[0]?.id}` : 'each: plant-store token rotate ID'}`,
  );
}
