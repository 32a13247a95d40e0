import {
  accessTokenChecksum,
  accessTokenPrefix,
  accessTokenSecretLength,
  type Scope,
} from '@plant-store/contract/access-token';
import { messages } from '@plant-store/contract/messages';
import {
  type AccessToken,
  createMemoryTokens,
  createTokenManagement,
  isEnded,
  type MemoryTokens,
  readBearer,
  showOwnToken,
  unauthorized,
} from '@plant-store/records';
import type { Outcome } from './reply.js';

/** The access tokens of a fake plant store. */
export interface TokenState {
  /** The texts of the token with the id 1. */
  accepted: readonly [string, ...string[]];
  readonly all: MemoryTokens;
}

const now = () => Date.now();

/** The text of a token by its id, of the form that the service issues. */
function textOf(id: number): string {
  const text = `${accessTokenPrefix}${`Fake${id === 1 ? '' : id}`.padEnd(accessTokenSecretLength, '0')}`;
  return `${text}${accessTokenChecksum(text)}`;
}

export const createTokenState = (token: string | undefined, scopes: readonly Scope[]): TokenState => ({
  accepted: [token ?? textOf(1)],
  all: createMemoryTokens({ name: 'test', scopes }, textOf, now),
});

/**
 * Returns the token that a request has as `Authorization: Bearer` (RFC 6750, section 2.1).
 *
 * @throws {ServiceError} `missing_token` or `invalid_token`
 */
export async function authenticate(headers: Headers, { accepted, all }: TokenState): Promise<AccessToken> {
  const text = readBearer(headers.get('authorization') ?? '');
  if (text === undefined) throw unauthorized('missing_token', messages.missingToken);
  const token = accepted.includes(text) ? await all.find(1) : all.findByText(text);
  if (token && !isEnded(token, now()) && (token.id !== 1 || accepted.includes(text))) return token;
  const isIssuedForm = /^pst_[0-9A-Za-z]{49}$/.test(text);
  throw unauthorized('invalid_token', isIssuedForm ? messages.unknownToken : messages.malformedToken);
}

/** How each operation on tokens answers a valid request. */
export function tokenHandlersOf(
  { all }: TokenState,
  token: AccessToken,
): Readonly<Record<TokenOperation, (request: ValidRequest) => Promise<Outcome>>> {
  const { id, scopes, expiresAt } = token;
  const own = { by: `${id}`, token, scopes, expiresAt: expiresAt?.getTime() };
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
  };
}

/** The operations on tokens. */
export type TokenOperation = 'getOwnToken' | 'listTokens' | 'createToken' | 'rotateToken' | 'revokeToken';

/** A request, as the schemas of its operation have validated it. */
export interface ValidRequest {
  readonly params: { readonly id: bigint };
  /** What the operation takes. */
  readonly body: never;
}
