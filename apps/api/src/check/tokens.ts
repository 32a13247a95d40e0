import { escapeInvisible } from '@plant-store/contract/escape-invisible';
import { ok, type Result, warning } from './finding.js';

export interface StoredToken {
  readonly id: number;
  readonly name: string;
  /** The token's scopes, separated by commas. */
  readonly scopes: string;
  readonly expiresAt: Date | null;
}

export interface TokenContext {
  readonly acceptsJwts: boolean;
  /** Whether the service serves the page, which shows records only to a token that can read them. */
  readonly servesPage: boolean;
}

export const selectTokens =
  'SELECT id, name, scopes, expires_at AS "expiresAt" FROM access_tokens WHERE revoked_at IS NULL ORDER BY id';

/**
 * How long before a token's expiration to warn, in milliseconds. There is no warning if another token with the same name lasts longer, as
 * after a rotation.
 */
const noticeMs = 7 * 24 * 60 * 60 * 1000;

/** The maximum number of expiring tokens that a warning names. */
const maxNamed = 10;

export function assessTokens(
  tokens: readonly StoredToken[],
  { acceptsJwts, servesPage }: TokenContext,
): Result {
  const now = Date.now();
  const expiresBy = (time: number) => (token: StoredToken) =>
    token.expiresAt !== null && token.expiresAt.getTime() <= time;
  const valid = tokens.filter((token) => !expiresBy(now)(token));
  if (valid.length === 0 && acceptsJwts)
    return ok('no access token is valid, but JSON Web Tokens are accepted');
  if (valid.length === 0)
    return warning(
      'no access token is valid, so every create is rejected with 401',
      'Issue a token: plant-store token create --name NAME',
    );
  const isExpiring = expiresBy(now + noticeMs);
  const lasting = new Set(valid.filter((token) => !isExpiring(token)).map(({ name }) => name));
  const expiring = valid.filter((token) => isExpiring(token) && !lasting.has(token.name));
  const creating = valid.filter(({ scopes }) => scopes === 'create');
  if (creating.length === valid.length && servesPage && !acceptsJwts)
    return warning(
      `${valid.length} valid, but all are create-only (the default before version 1.3), so the web page shows no records`,
      'To use the page, create a token that can read: plant-store token create --name NAME. If nobody uses the page, set PAGE=off.',
    );
  const limited = creating.length === 0 ? '' : `; ${creating.length} can only create records`;
  if (expiring.length === 0) return ok(`${valid.length} valid${limited}`);
  const named = expiring
    .slice(0, maxNamed)
    .map(
      ({ id, name, expiresAt }) => `"${escapeInvisible(name)}" (${id}) expires ${expiresAt?.toISOString()}`,
    );
  const more = expiring.length > maxNamed ? `, and ${expiring.length - maxNamed} more expiring soon` : '';
  return warning(
    `${valid.length} valid; ${named.join(', ')}${more}`,
    `Rotate ${expiring.length === 1 ? `it: plant-store token rotate ${expiring[0]?.id}` : 'each token: plant-store token rotate ID'}`,
  );
}
