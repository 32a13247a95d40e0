import {
  accessTokenChecksum,
  accessTokenPrefix,
  accessTokenSecretLength,
  defaultScopes,
  type Scope,
} from '@plant-store/contract/access-token';
import { MAX_TOKENS, messages } from '@plant-store/contract/messages';
import type { AuditQuery } from '@plant-store/contract/operations';
import {
  type AccessToken,
  type Audit,
  type AuditEvent,
  createTokenManagement,
  describeToken,
  isEnded,
  listAudit,
  type NumberedAuditEvent,
  readBearer,
  showOwnToken,
  type TokenRequest,
  type Tokens,
  unauthorized,
} from '@plant-store/records';
import type { Outcome } from './reply.js';

const now = () => Date.now();

/** Access tokens in memory, with their secrets and the audit log of their changes. */
export interface MemoryTokens extends Tokens {
  /** The secrets that are accepted for the token with the ID 1. */
  firstSecrets: readonly [string, ...string[]];
  readonly audit: Audit;
  findBySecret(secret: string): AccessToken | undefined;
  /** Removes the audit log and every token except the first. */
  clear(): void;
}

/** Returns the secret of a token, in the service's format. */
function secretOf(id: number): string {
  const body = `${accessTokenPrefix}${`Fake${id === 1 ? '' : id}`.padEnd(accessTokenSecretLength, '0')}`;
  return `${body}${accessTokenChecksum(body)}`;
}

/** Creates a token store in memory, with one token, whose ID is 1. */
export function createMemoryTokens(
  firstSecret: string = secretOf(1),
  scopes: readonly Scope[] = defaultScopes,
): MemoryTokens {
  const all = new Map<number, AccessToken & { readonly secret: string }>();
  const events: NumberedAuditEvent[] = [];

  function add({ name, scopes = [], expiresAt, ratePerMinute = null }: TokenRequest) {
    const id = all.size + 1;
    const secret = secretOf(id);
    const created = { createdAt: new Date(now()), revokedAt: null, lastUsedAt: null };
    const token = { id, name, scopes, ...created, expiresAt: expiresAt ?? null, ratePerMinute };
    all.set(id, { ...token, secret });
    return { secret, token };
  }
  add({ name: 'test', scopes });

  function update(id: number, members: Partial<AccessToken>) {
    const token = all.get(id);
    if (token === undefined) return null;
    const updated = { ...token, ...members };
    all.set(id, updated);
    return updated;
  }
  const end = (id: number) => update(id, { revokedAt: all.get(id)?.revokedAt ?? new Date(now()) });
  const logEvent = (event: Omit<AuditEvent, 'at'>) =>
    events.unshift({ ...event, number: events.length + 1, at: now() });

  const tokens: MemoryTokens = {
    firstSecrets: [firstSecret],
    audit: {
      list: async ({ before = Number.POSITIVE_INFINITY, action, limit }) =>
        events
          .filter((event) => event.number < before && (action === undefined || event.action === action))
          .slice(0, limit),
    },
    findBySecret(secret) {
      if (tokens.firstSecrets.includes(secret)) return all.get(1);
      return [...all.values()].find((token) => token.id !== 1 && token.secret === secret);
    },
    clear() {
      for (const id of [...all.keys()].slice(1)) all.delete(id);
      events.length = 0;
    },
    async issueWithinLimit(request, { by, replaces, check }) {
      const replaced = all.get(replaces?.id ?? 0) ?? null;
      check(by.id === undefined ? null : (all.get(by.id) ?? null), replaced);
      const valid = [...all.values()].filter((token) => !isEnded(token, now()));
      if (valid.length >= MAX_TOKENS) return undefined;
      const issued = add(request);
      const token = describeToken(issued.token);
      if (replaced === null || replaces === undefined) {
        logEvent({ by, action: 'token_created', about: { token } });
        return issued;
      }
      const { id, name, expiresAt } = replaced;
      const endsAt = new Date(now() + replaces.afterMs);
      if (replaces.afterMs === 0) end(id);
      else if (expiresAt === null || expiresAt > endsAt) update(id, { expiresAt: endsAt });
      logEvent({ by, action: 'token_rotated', about: { token, replaced: { id, name } } });
      return issued;
    },
    listLatest: async () => [...all.values()],
    find: async (id) => all.get(id) ?? null,
    async revoke(id, by) {
      const wasRevoked = all.get(id)?.revokedAt !== null;
      const token = end(id);
      if (token !== null && !wasRevoked)
        logEvent({ by, action: 'token_revoked', about: { token: describeToken(token) } });
      return token;
    },
  };
  return tokens;
}

/**
 * Returns the token in the header `Authorization: Bearer` (RFC 6750, section 2.1).
 *
 * @throws {ServiceError} `missing_token` or `invalid_token`
 */
export function authenticate(headers: Headers, tokens: MemoryTokens): AccessToken {
  const secret = readBearer(headers.get('authorization') ?? '');
  if (secret === undefined) throw unauthorized('missing_token', messages.missingToken);
  const token = tokens.findBySecret(secret);
  if (token && !isEnded(token, now())) return token;
  const isIssuedForm = /^pst_[0-9A-Za-z]{49}$/.test(secret);
  throw unauthorized('invalid_token', isIssuedForm ? messages.unknownToken : messages.malformedToken);
}

/** Returns the token operations for the token of a caller. */
export function tokenHandlersOf(
  tokens: MemoryTokens,
  token: AccessToken,
): Readonly<Record<TokenOperation, (request: ValidRequest) => Promise<Outcome>>> {
  const { id, name, scopes, expiresAt } = token;
  const caller = { by: { id, name }, token, scopes, expiresAt: expiresAt?.getTime() };
  const management = createTokenManagement(tokens, 0, () => undefined, now);
  const ok = (body: object): Outcome => ({ status: 200, body });
  return {
    getOwnToken: async () => ok(showOwnToken(caller)),
    listTokens: async () => ok({ tokens: await management.list() }),
    createToken: async ({ body }) => ok(await management.create(body, caller)),
    rotateToken: async ({ params, body }) => ok(await management.rotate(params.id, body, caller)),
    async revokeToken({ params }) {
      await management.revoke(params.id, caller.by);
      return { status: 204, body: undefined };
    },
    listAudit: async ({ query }) => ok(await listAudit(tokens.audit, query)),
  };
}

export type TokenOperation =
  | 'getOwnToken'
  | 'listTokens'
  | 'createToken'
  | 'rotateToken'
  | 'revokeToken'
  | 'listAudit';

/** A request after validation by the schemas of its operation. */
export interface ValidRequest {
  readonly params: { readonly id: bigint };
  readonly query: AuditQuery;
  /** Typed as `never`, which is assignable to the body type of every operation. */
  readonly body: never;
}
