import { capitalize, isFirst, type Resource } from '@plant-store/contract/resource';
import { resources } from '@plant-store/contract/resources';

/** Which claims of a provider's tokens are read, and by what an access token is known. */
export interface ClaimProfile {
  /** Each is a list of names, of which the first that a token has counts; in an object by dots, such as `realm_access.roles`. */
  readonly scopeClaims: readonly string[];
  readonly audienceClaims: readonly string[];
  readonly subjectClaims: readonly string[];
  /** The claims, each with the value if that matters, of which an access token has at least one, and an ID token none. */
  readonly accessTokenClaims: Readonly<Record<string, unknown>>;
  /** The claims that only an ID token has. */
  readonly idTokenClaims: readonly string[];
}

/** What a provider documents. */
export interface ProviderProfile extends ClaimProfile {
  /** What the provider calls a scope, unless `JWT_SCOPES` says so. */
  nameScope(scope: string): string;
  /** What the page asks for to get a token for the audience, if that is not the scopes. */
  nameAudience?(audience: string): string;
}

const first = Object.values<Resource>(resources).find(isFirst)?.plural ?? '';

/** The resource of a scope, and what it permits. A scope without a resource is older than all resources but the first. */
function partsOf(scope: string): readonly string[] {
  return scope.includes(':') ? scope.split(':') : [first, scope];
}

/** An access token as RFC 9068, section 2.2, has it, or with `scp`, as some name it; the header `typ` and the audience tell it from others. */
export const standardProfile: ProviderProfile = {
  scopeClaims: ['scope', 'scp'],
  audienceClaims: ['aud'],
  subjectClaims: ['sub'],
  nameScope: (scope) => partsOf(scope).join(':'),
  accessTokenClaims: {},
  idTokenClaims: [],
};

/** What binds an ID token to its request and to other tokens (OpenID Connect Core, sections 2 and 3.3.2.11). */
const ofIdTokens = ['nonce', 'at_hash', 'c_hash'];

/** By the values of `JWT_PROVIDER`: what each documents, which may be stricter than the standard, and is never an ID token of a person. */
export const providerProfiles = {
  /**
   * Both of its profiles (https://auth0.com/docs/secure/tokens/access-tokens/access-token-profiles): the claim `permissions` is there
   * where the API adds what the roles of a person permit
   * (https://auth0.com/docs/get-started/apis/enable-role-based-access-control-for-apis).
   */
  auth0: {
    ...standardProfile,
    scopeClaims: ['permissions', 'scope'],
    accessTokenClaims: { azp: undefined, client_id: undefined },
    idTokenClaims: ofIdTokens,
  },
  /**
   * Scopes are those of a resource server, such as `store/read`, and without resource binding there is no `aud`
   * (https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html).
   */
  cognito: {
    ...standardProfile,
    scopeClaims: ['scope'],
    audienceClaims: ['aud', 'client_id'],
    nameScope: (scope) => partsOf(scope).join('/'),
    accessTokenClaims: { token_use: 'access' },
    idTokenClaims: ofIdTokens,
  },
  /**
   * A token for a person has `scp`, one for an application `roles`; an ID token may have `roles`, too, but only access tokens say how
   * the client was authenticated (https://learn.microsoft.com/entra/identity-platform/access-token-claims-reference).
   */
  entra: {
    ...standardProfile,
    scopeClaims: ['scp', 'roles'],
    nameScope: (scope) => partsOf(scope).map(capitalize).join('.'),
    accessTokenClaims: { azpacr: undefined, appidacr: undefined },
    idTokenClaims: ofIdTokens,
    nameAudience: (audience) => `${audience}/.default`,
  },
  /**
   * ID tokens of service accounts for an audience of their choice, since access tokens cannot be read
   * (https://cloud.google.com/docs/authentication/token-types). Any account in the world gets one: which may do what is said by address.
   */
  google: {
    ...standardProfile,
    scopeClaims: ['email'],
    accessTokenClaims: { email_verified: true },
    idTokenClaims: ofIdTokens,
  },
  /**
   * The claim `typ` is `ID` or `Refresh` in its other tokens; older access tokens have a `nonce`, and lightweight ones may lack `sub`
   * (https://www.keycloak.org/docs/latest/server_admin/#_using_lightweight_access_token).
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
    accessTokenClaims: { cid: undefined },
    idTokenClaims: ofIdTokens,
  },
} as const satisfies Readonly<Record<string, ProviderProfile>>;

/** One of the values of `JWT_PROVIDER`. */
export type ProviderName = keyof typeof providerProfiles;

/** Whether the claims are those of an access token. */
export function isAccessToken(claims: object, { accessTokenClaims, idTokenClaims }: ClaimProfile): boolean {
  if (idTokenClaims.some((name) => Object.hasOwn(claims, name))) return false;
  const required = Object.entries(accessTokenClaims);
  return (
    required.length === 0 ||
    required.some(([name, value]) => {
      const found = readClaim(claims, [name]);
      return value === undefined ? found !== undefined : found === value;
    })
  );
}

/** The first of the claims that is there. */
export function readClaim(claims: object, names: readonly string[]): unknown {
  return names.map((name) => findMember(claims, name)).find((value) => value !== undefined);
}

/** A member by its name, which may have dots itself, or by a path of names between dots. */
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

/** The texts of a claim: of one text those between spaces (RFC 6749, section 3.3), or the members of a list. */
export function textsOf(claim: unknown): readonly unknown[] {
  if (typeof claim === 'string') return claim.split(' ');
  return Array.isArray(claim) ? claim : [];
}
