import {
  accessTokenChecksum,
  accessTokenPrefix,
  accessTokenSecretLength,
  defaultScopes,
  type Scope,
} from '@plant-store/contract/access-token';
import { messages } from '@plant-store/contract/messages';
import type { AuditQuery } from '@plant-store/contract/operations';
import {
  type AccessToken,
  createMemoryTokens,
  createTokenManagement,
  isEnded,
  listAudit,
  type MemoryTokens,
  readBearer,
  showOwnToken,
  unauthorized,
} from '@plant-store/records';
import type { Outcome } from './reply.js';

const now = () => Date.now();

/** The text of a token by its id, in the service's format. */
function textOf(id: number): string {
  const text = `${accessTokenPrefix}${`Fake${id === 1 ? '' : id}`.padEnd(accessTokenSecretLength, '0')}`;
  return `${text}${accessTokenChecksum(text)}`;
}

export const createTokens = (
  token: string = textOf(1),
  scopes: readonly Scope[] = defaultScopes,
): MemoryTokens => createMemoryTokens({ name: 'test', scopes }, [token], textOf, now);

/**
 * Returns the token of a request from `Authorization: Bearer` (RFC 6750, section 2.1).
 *
 * @throws {ServiceError} `missing_token` or `invalid_token`
 */
export function authenticate(headers: Headers, tokens: MemoryTokens): AccessToken {
  const text = readBearer(headers.get('authorization') ?? '');
  if (text === undefined) throw unauthorized('missing_token', messages.missingToken);
  const token = tokens.findByText(text);
  if (token && !isEnded(token, now())) return token;
  const isIssuedForm = /^pst_[0-9A-Za-z]{49}$/.test(text);
  throw unauthorized('invalid_token', isIssuedForm ? messages.unknownToken : messages.malformedToken);
}

/** The handlers of the token operations for valid requests. */
export function tokenHandlersOf(
  all: MemoryTokens,
  token: AccessToken,
): Readonly<Record<TokenOperation, (request: ValidRequest) => Promise<Outcome>>> {
  const { id, name, scopes, expiresAt } = token;
  const own = { by: { id, name }, token, scopes, expiresAt: expiresAt?.getTime() };
  const tokens = createTokenManagement(all, 0, () => undefined, now);
  const ok = (body: object): Outcome => ({ status: 200, body });
  return {
    getOwnToken: async () => ok(showOwnToken(own)),
    listTokens: async () => ok({ tokens: await tokens.list() }),
    createToken: async ({ body }) => ok(await tokens.create(body, own)),
    rotateToken: async ({ params, body }) => ok(await tokens.rotate(params.id, body, own)),
    async revokeToken({ params }) {
      await tokens.revoke(params.id, own.by);
      return { status: 204, body: undefined };
    },
    listAudit: async ({ query }) => ok(await listAudit(all.audit, query)),
  };
}

/** The operations on tokens. */
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
  /** The body of the operation. */
  readonly body: never;
}
