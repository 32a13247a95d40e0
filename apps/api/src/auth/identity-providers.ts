import { capitalize, isFirst, type Resource } from '@plant-store/contract/resource';
import { resources } from '@plant-store/contract/resources';

/** Which claims the service reads from a provider's tokens, and how it recognizes an access token. */
export interface ClaimProfile {
  /**
   * `scopeClaims`, `audienceClaims`, and `subjectClaims` list claim names in order of preference. The first one in the token is used.
   * `realm_access.roles` reads a nested claim.
   */
  readonly scopeClaims: readonly string[];
  readonly audienceClaims: readonly string[];
  readonly subjectClaims: readonly string[];
  /** An access token has at least one of these claims, with this value or with any. */
  readonly accessTokenClaims: Readonly<Record<string, 'any' | string | boolean>>;
  /** An access token has none of these claims. */
  readonly idTokenClaims: readonly string[];
}

/** A profile taken from the provider's documentation. */
export interface ProviderProfile extends ClaimProfile {
  /** The provider's name for a scope, unless `JWT_SCOPES` sets it. */
  nameScope(scope: string): string;
  /** The scope that the page requests to get a token for the audience, if the plain scopes are not enough. */
  nameAudience?(audience: string): string;
}

const firstResource = Object.values<Resource>(resources).find(isFirst)?.plural ?? '';

/**
 * Splits a scope into resource and permission. A scope without a resource belongs to the first resource, because it predates the others.
 */
function partsOf(scope: string): readonly string[] {
  return scope.includes(':') ? scope.split(':') : [firstResource, scope];
}

/**
 * The profile of access tokens as in RFC 9068, section 2.2, or with `scp` instead of `scope`. The header `typ` and the audience distinguish
 * them from other tokens.
 */
export const standardProfile: ProviderProfile = {
  scopeClaims: ['scope', 'scp'],
  audienceClaims: ['aud'],
  subjectClaims: ['sub'],
  nameScope: (scope) => partsOf(scope).join(':'),
  accessTokenClaims: {},
  idTokenClaims: [],
};

/** Claims that bind an ID token to its request and to other tokens (OpenID Connect Core, sections 2 and 3.3.2.11). */
const idTokenOnlyClaims = ['nonce', 'at_hash', 'c_hash'];

/** The profiles by `JWT_PROVIDER` value. A profile can be stricter than the standard, and never accepts a person's ID token. */
export const providerProfiles = {
  /**
   * Covers both of Auth0's access token profiles (https://auth0.com/docs/secure/tokens/access-tokens/access-token-profiles). The claim
   * `permissions` is present if the API adds the permissions of a person's roles
   * (https://auth0.com/docs/get-started/apis/enable-role-based-access-control-for-apis).
   */
  auth0: {
    ...standardProfile,
    scopeClaims: ['permissions', 'scope'],
    accessTokenClaims: { azp: 'any', client_id: 'any' },
    idTokenClaims: idTokenOnlyClaims,
  },
  /**
   * Scopes belong to a resource server, such as `store/read`. Without resource binding, there is no `aud`
   * (https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html).
   */
  cognito: {
    ...standardProfile,
    scopeClaims: ['scope'],
    audienceClaims: ['aud', 'client_id'],
    nameScope: (scope) => partsOf(scope).join('/'),
    accessTokenClaims: { token_use: 'access' },
    idTokenClaims: idTokenOnlyClaims,
  },
  /**
   * A person's token has `scp`, and an application's token has `roles`. An ID token can have `roles`, too, but only access tokens state how
   * the client authenticated (https://learn.microsoft.com/entra/identity-platform/access-token-claims-reference).
   */
  entra: {
    ...standardProfile,
    scopeClaims: ['scp', 'roles'],
    nameScope: (scope) => partsOf(scope).map(capitalize).join('.'),
    accessTokenClaims: { azpacr: 'any', appidacr: 'any' },
    idTokenClaims: idTokenOnlyClaims,
    nameAudience: (audience) => `${audience}/.default`,
  },
  /**
   * Accepts service accounts' ID tokens for an audience of their choice, because Google's access tokens are opaque
   * (https://cloud.google.com/docs/authentication/token-types). Any Google account can get such a token, so permissions are granted by
   * email address.
   */
  google: {
    ...standardProfile,
    scopeClaims: ['email'],
    accessTokenClaims: { email_verified: true },
    idTokenClaims: idTokenOnlyClaims,
  },
  /**
   * In Keycloak's other tokens, the claim `typ` is `ID` or `Refresh`. Older access tokens have a `nonce`, and lightweight ones can lack
   * `sub` (https://www.keycloak.org/docs/latest/server_admin/#_using_lightweight_access_token).
   */
  keycloak: {
    ...standardProfile,
    scopeClaims: ['scope'],
    subjectClaims: ['sub', 'azp'],
    accessTokenClaims: { typ: 'Bearer' },
    idTokenClaims: ['at_hash', 'c_hash'],
  },
  /** The claim `cid` names the client (https://developer.okta.com/docs/api/openapi/okta-oauth/guides/overview/). */
  okta: {
    ...standardProfile,
    scopeClaims: ['scp'],
    accessTokenClaims: { cid: 'any' },
    idTokenClaims: idTokenOnlyClaims,
  },
} as const satisfies Readonly<Record<string, ProviderProfile>>;

export type ProviderName = keyof typeof providerProfiles;

export function isAccessToken(claims: object, { accessTokenClaims, idTokenClaims }: ClaimProfile): boolean {
  if (idTokenClaims.some((name) => Object.hasOwn(claims, name))) return false;
  const required = Object.entries(accessTokenClaims);
  return (
    required.length === 0 ||
    required.some(([name, value]) => {
      const found = readClaim(claims, [name]);
      return value === 'any' ? found !== undefined : found === value;
    })
  );
}

/** Returns the value of the first of these claims that is present. */
export function readClaim(claims: object, names: readonly string[]): unknown {
  return names.map((name) => findMember(claims, name)).find((value) => value !== undefined);
}

/** Finds a member by its name, which can contain dots, or by a dotted path. */
function findMember(value: unknown, path: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, path)) return (value as Record<string, unknown>)[path];
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const found = Object.hasOwn(value, path.slice(0, dot))
      ? findMember((value as Record<string, unknown>)[path.slice(0, dot)], path.slice(dot + 1))
      : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns a claim's values, from a space-separated string (RFC 6749, section 3.3) or an array. */
export function claimValues(claim: unknown): readonly unknown[] {
  if (typeof claim === 'string') return claim.split(' ');
  return Array.isArray(claim) ? claim : [];
}
