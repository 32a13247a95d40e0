import {
  currentScope,
  defaultScopes,
  formerUpdate,
  type Scope,
  scopes,
} from '@plant-store/contract/access-token';
import { shorten } from '@plant-store/contract/messages';
import ipaddr from 'ipaddr.js';
import * as z from 'zod';
import {
  type ClaimProfile,
  type ProviderName,
  type ProviderProfile,
  providerProfiles,
  standardProfile,
} from './identity-providers.js';

/**
 * The supported signature algorithms, all of which use a public key (RFC 7518, section 3.1; RFC 8037; RFC 9864). With a symmetric
 * algorithm, such as `HS256`, everyone who can verify a token could also issue one.
 */
const algorithms: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** The values of an access token's header `typ`. `JWT` also stands for a token without `typ` (RFC 7519, section 5.1). */
const types: readonly string[] = ['at+jwt', 'JWT'];

/** When to fetch the identity provider's keys, in milliseconds. */
const keyTimes = {
  /** The interval between fetches. A key that the provider removes stops working within this time. */
  refreshMs: 5 * 60_000,
  /** The minimum time between two fetches, even if a token names an unknown key. */
  cooldownMs: 10_000,
  timeoutMs: 5_000,
  /** How long fetched keys stay in use while the provider is unavailable. */
  staleMs: 24 * 3_600_000,
};

export type KeyTimes = Readonly<typeof keyTimes>;

const defaultAlgorithms: readonly string[] = ['RS256', 'ES256'];
const defaultClockToleranceSeconds = 30;

/** Matches a scope (RFC 6749, section 3.3) without a comma or a semicolon, which are list separators elsewhere. */
const scopeShape = /^[!#-+\--:<-[\]-~]{1,100}$/;

/** Matches the start of another pair within a name, which means that no space separates the pairs. */
const nextPair = new RegExp(`^=|(^|\\W)(${[...scopes, formerUpdate].join('|')})=`);

const providers = Object.keys(providerProfiles) as ProviderName[];

/** Claim names, separated by single spaces. A name can be a URL. */
const claimNames = z
  .string()
  .refine((text) => text.split(' ').every((name) => /^[!-~]{1,255}$/.test(name)), {
    error: 'must be claim names, separated by single spaces, such as realm_access.roles scope',
  })
  .transform((text) => text.split(' '));

/** A single value of any characters, such as an issuer, but not a list of URLs. */
const singleValue = z.string().refine((text) => text === text.trim() && !/[\s,;]https?:\/\//.test(text), {
  error:
    'must be a single value, not a list, without surrounding whitespace, because the comparison is exact',
});

export const jwtVariables = {
  JWT_ISSUER: singleValue.optional(),
  JWT_AUDIENCE: z
    .string()
    .refine((text) => /^\S+(?: \S+)*$/.test(text) && !/[,;]https?:\/\//.test(text), {
      error: 'must be exact audience values, separated by single spaces',
    })
    .transform((text) => text.split(' '))
    .optional(),
  JWT_JWKS_URL: z
    .string()
    .refine(isSecureUrl, {
      error:
        'must be an https URL without a user name, a password, or a fragment, such as https://id.example.com/jwks; ' +
        'http is accepted only for a loopback address',
    })
    .optional(),
  JWT_PROVIDER: z.enum(providers, { error: `must be one of ${providers.join(', ')}` }).optional(),
  JWT_SCOPE_CLAIM: claimNames.optional(),
  JWT_AUDIENCE_CLAIM: claimNames.optional(),
  JWT_SUBJECT_CLAIM: claimNames.optional(),
  JWT_ALGORITHMS: listOf(algorithms).optional(),
  JWT_TYPES: listOf(types).optional(),
  JWT_CLOCK_TOLERANCE_SECONDS: wholeNumber(0, 300).optional(),
  JWT_REQUIRED_SCOPE: z
    .string()
    .regex(scopeShape, {
      error:
        'must be one scope: 1 to 100 visible ASCII characters, without a space, a comma, a semicolon, a quote, or a backslash',
    })
    .optional(),
  JWT_SCOPES: z.string().transform(toScopeNames).optional(),
  JWT_CLIENT_ID: z
    .string()
    .regex(/^[\x20-\x7e]{1,255}$/, { error: 'must be 1 to 255 visible ASCII characters' })
    .optional(),
  JWT_CLIENT_SCOPES: z
    .string()
    .refine((text) => text.split(' ').every((scope) => scopeShape.test(scope)), {
      error: `must be scopes, separated by single spaces, such as openid ${standardProfile.nameScope('read')}`,
    })
    .refine((text) => text.split(' ').includes('openid'), { error: 'must include the scope openid' })
    .optional(),
  JWT_CLIENT_ORIGINS: z
    .string()
    .transform((list) => list.split(',').map((origin) => origin.trim()))
    .refine((origins) => origins.every((text) => isSecureUrl(text) && new URL(text).origin === text), {
      error:
        'must be https origins separated by commas, such as https://store.auth.example.com, without a trailing slash',
    })
    .optional(),
};

type JwtVariables = z.infer<z.ZodObject<typeof jwtVariables>>;

const required = ['JWT_ISSUER', 'JWT_AUDIENCE', 'JWT_JWKS_URL'] as const;
const names = Object.keys(jwtVariables) as (keyof JwtVariables)[];

/** Checks that either none of the variables or all required ones are set, and that they fit together. Reports each problem. */
export function checkJwtVariables(variables: JwtVariables, context: z.RefinementCtx): void {
  const present = names.filter((name) => variables[name] !== undefined);
  if (present.length === 0) return;
  for (const name of required) {
    if (variables[name] !== undefined) continue;
    context.addIssue({ code: 'custom', path: [name], message: `is required when ${present[0]} is set` });
  }
  const { JWT_CLIENT_ID: clientId, JWT_ISSUER: issuer = '' } = variables;
  const report = (name: keyof JwtVariables, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message });
  if (variables.JWT_PROVIDER === 'google') {
    const accounts = Object.values(variables.JWT_SCOPES ?? {});
    if (accounts.length === 0)
      report('JWT_SCOPES', 'is required because JWT_PROVIDER is google: set it to service account addresses');
    if (!accounts.every((account) => /@(?:[\w-]+\.)*gserviceaccount\.com$/.test(account)))
      report('JWT_SCOPES', 'must contain service account addresses because JWT_PROVIDER is google');
    if (clientId !== undefined)
      report('JWT_CLIENT_ID', 'cannot be used with google, because Google access tokens are opaque');
  }
  for (const name of ['JWT_CLIENT_SCOPES', 'JWT_CLIENT_ORIGINS'] as const)
    if (variables[name] !== undefined && clientId === undefined)
      report('JWT_CLIENT_ID', `is required when ${name} is set`);
  if (clientId !== undefined && !isSecureUrl(issuer))
    report(
      'JWT_CLIENT_ID',
      'requires JWT_ISSUER to be an https URL; http is accepted only for a loopback address',
    );
}

/** Which JSON Web Tokens are accepted, and from which issuer. */
export type JwtSettings = NonNullable<ReturnType<typeof toJwtSettings>>;

/** Converts checked variables to settings; `undefined` if none is set. */
export function toJwtSettings(variables: JwtVariables) {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audiences, JWT_JWKS_URL: jwksUrl } = variables;
  if (issuer === undefined || audiences === undefined || jwksUrl === undefined) return undefined;
  const { JWT_PROVIDER: provider, JWT_SCOPE_CLAIM: scopeClaims } = variables;
  // Before scopes were introduced, tokens could only create records.
  const withoutScopes: readonly Scope[] = variables.JWT_SCOPES || provider || scopeClaims ? [] : ['create'];
  const preset: ProviderProfile = provider === undefined ? standardProfile : providerProfiles[provider];
  // The settings contain only data, because a cluster sends them to its workers.
  const { nameScope, nameAudience, ...claims } = preset;
  const profile: ClaimProfile = {
    ...claims,
    scopeClaims: scopeClaims ?? preset.scopeClaims,
    audienceClaims: variables.JWT_AUDIENCE_CLAIM ?? preset.audienceClaims,
    subjectClaims: variables.JWT_SUBJECT_CLAIM ?? preset.subjectClaims,
  };
  const named = scopes.map((scope) => [scope, nameScope(scope)]);
  const scopeNames: Readonly<Record<Scope, string>> = {
    ...Object.fromEntries(named),
    ...variables.JWT_SCOPES,
  };
  return Object.freeze({
    /** The claim `iss`, compared exactly. */
    issuer,
    /** The accepted audiences. The audience claim, usually `aud`, must be or contain one of them, compared exactly. */
    audiences,
    /** The provider whose profile is used; `undefined` for the standard profile. */
    provider,
    profile,
    /** Where the identity provider publishes its keys (JWK Set, RFC 7517, section 5). */
    jwksUrl,
    /** The accepted values of the header `alg`. */
    algorithms: variables.JWT_ALGORITHMS ?? defaultAlgorithms,
    /** The accepted values of the header `typ`. `JWT` also stands for a token without `typ`. */
    types: variables.JWT_TYPES ?? types,
    /** How far the clocks of the provider and of this machine may differ, in seconds. */
    clockToleranceSeconds: variables.JWT_CLOCK_TOLERANCE_SECONDS ?? defaultClockToleranceSeconds,
    /** The scope that a token must have; `undefined` for none. */
    requiredScope: variables.JWT_REQUIRED_SCOPE,
    /** The provider's name for each scope. */
    scopes: scopeNames,
    /** The provider's former name for `update`; `undefined` if `JWT_SCOPES` names that scope. */
    formerUpdate: variables.JWT_SCOPES?.update === undefined ? nameScope(formerUpdate) : undefined,
    /** The permissions of a token without any of these scopes. */
    withoutScopes,
    keyTimes,
    /** How people sign in on the page; `undefined` if sign-in is not configured. */
    signIn: toSignIn(variables, issuer, audiences, scopeNames, nameAudience),
  });
}

/** What the page needs to know about the identity provider to sign people in. */
export interface SignIn {
  readonly issuer: string;
  readonly audience: string;
  /** The page's client ID at the provider. */
  readonly clientId: string;
  /** The scopes that the page requests, separated by spaces. */
  readonly scope: string;
  /** Origins of the provider's endpoints, other than the issuer's. */
  readonly origins?: readonly string[] | undefined;
}

function toSignIn(
  { JWT_CLIENT_ID: clientId, JWT_CLIENT_SCOPES: scope, ...variables }: JwtVariables,
  issuer: string,
  [audience = '']: readonly string[],
  names: Readonly<Record<Scope, string>>,
  nameAudience: ProviderProfile['nameAudience'],
): SignIn | undefined {
  if (clientId === undefined) return undefined;
  // Requests `admin` only if the operator names it, because a provider may reject an unknown scope.
  const asked = [...defaultScopes.map((each) => names[each]), variables.JWT_SCOPES?.admin ?? []];
  const needed = nameAudience
    ? [nameAudience(audience)]
    : [...asked, variables.JWT_REQUIRED_SCOPE ?? []].flat();
  return {
    issuer,
    audience,
    clientId,
    scope: scope ?? [...new Set(['openid', ...needed])].join(' '),
    origins: variables.JWT_CLIENT_ORIGINS,
  };
}

const exampleNames = defaultScopes.map((scope) => `${scope}=${standardProfile.nameScope(scope)}`).join(' ');

/** Parses the provider's names for scopes: pairs such as `create=store:create`, separated by single spaces. */
function toScopeNames(text: string, context: z.RefinementCtx): Partial<Record<Scope, string>> {
  const pairs = text.split(' ').map((pair) => {
    const [, scope = '', name = ''] = /^([\w:]+)=(.*)$/.exec(pair) ?? [];
    return [pair, currentScope(scope), name] as const;
  });
  const seen = new Set<string>();
  const invalid = pairs.find(([, scope, name]) => {
    const isDuplicate = seen.has(scope);
    seen.add(scope);
    const isKnown = scopes.some((known) => known === scope);
    return isDuplicate || !isKnown || !scopeShape.test(name) || nextPair.test(name);
  });
  if (invalid === undefined) return Object.fromEntries(pairs.map(([, ...pair]) => pair));
  context.addIssue(
    `must be scope=name pairs with names from the identity provider, separated by single spaces and without repeated scopes, such as \
${exampleNames}; "${shorten(invalid[0])}" is invalid`,
  );
  return z.NEVER;
}

function listOf(allowed: readonly string[]) {
  return z
    .string()
    .transform((list) => list.split(',').map((name) => name.trim()))
    .refine((list) => list.every((name) => allowed.includes(name)), {
      error: `must be a comma-separated list of these names: ${allowed.join(', ')}`,
    });
}

/** Whether a URL is safe for fetching keys and signing in. Whoever can modify keys in transit can issue tokens. */
function isSecureUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  const isLocal = protocol === 'http:' && isLoopback(hostname);
  return (protocol === 'https:' || isLocal) && `${username}${password}${hash}` === '';
}

/** Whether a host name or an address always leads to this machine. An address can be in brackets, as in a URL. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  return host === 'localhost' || (ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback');
}

/** Returns the schema of a setting that is a whole number from `min` to `max`, in decimal digits. */
export function wholeNumber(min: number, max: number) {
  return z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number);
}
