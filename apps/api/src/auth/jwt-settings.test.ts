import { scopes } from '@plant-store/contract/access-token';
import { expect, it } from 'vitest';
import { parseConfig } from '../config.js';

const complete = {
  JWT_ISSUER: 'https://id.example.com/',
  JWT_AUDIENCE: 'https://plants.example.com',
  JWT_JWKS_URL: 'https://id.example.com/jwks',
};
const parse = (environment: Record<string, string>) => parseConfig(environment, '/').jwt;

it('accepts none by default', () => {
  expect(parse({})).toBeUndefined();
  expect(parse({ JWT_ISSUER: '', JWT_ALGORITHMS: '' })).toBeUndefined();
});

it('has defaults for everything except issuer, audience and keys', () => {
  expect(parse(complete)).toEqual({
    issuer: 'https://id.example.com/',
    audiences: ['https://plants.example.com'],
    profile: {
      scopeClaims: ['scope', 'scp'],
      audienceClaims: ['aud'],
      subjectClaims: ['sub'],
      accessTokenClaims: {},
      idTokenClaims: [],
    },
    jwksUrl: 'https://id.example.com/jwks',
    algorithms: ['RS256', 'ES256'],
    types: ['at+jwt', 'JWT'],
    clockToleranceSeconds: 30,
    requiredScope: undefined,
    scopes: Object.fromEntries(scopes.map((scope) => [scope, `plants:${scope}`])),
    formerUpdate: 'plants:correct',
    withoutScopes: ['create'],
    keyTimes: { refreshMs: 300_000, cooldownMs: 10_000, timeoutMs: 5_000, staleMs: 86_400_000 },
  });
});

it('parses the others', () => {
  expect(
    parse({
      ...complete,
      JWT_ALGORITHMS: 'PS256, EdDSA',
      JWT_TYPES: 'at+jwt',
      JWT_CLOCK_TOLERANCE_SECONDS: '0',
      JWT_REQUIRED_SCOPE: 'https://plants.example.com/create',
      JWT_SCOPES: 'delete=a?b=c|d read=https://plants.example.com/read',
    }),
  ).toMatchObject({
    algorithms: ['PS256', 'EdDSA'],
    types: ['at+jwt'],
    clockToleranceSeconds: 0,
    requiredScope: 'https://plants.example.com/create',
    scopes: {
      create: 'plants:create',
      read: 'https://plants.example.com/read',
      update: 'plants:update',
      delete: 'a?b=c|d',
    },
    withoutScopes: [],
  });
});

it('accepts the largest clock tolerance', () => {
  expect(parse({ ...complete, JWT_CLOCK_TOLERANCE_SECONDS: '300' })).toHaveProperty(
    'clockToleranceSeconds',
    300,
  );
});

it('accepts the former name of the scope update, also in settings', () => {
  expect(parse({ ...complete, JWT_PROVIDER: 'entra' })?.formerUpdate).toBe('Plants.Correct');
  const named = parse({ ...complete, JWT_SCOPES: 'read=r correct=plants:correct' });
  expect(named).toMatchObject({ scopes: { update: 'plants:correct' }, formerUpdate: undefined });
  expect(() => parse({ ...complete, JWT_SCOPES: 'update=a correct=b' })).toThrow('"correct=b" is invalid');
});

it("has the sign-in settings for the page, and requests all scopes by the provider's names", () => {
  expect(parse(complete)?.signIn).toBeUndefined();
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = complete;
  const client = { ...complete, JWT_CLIENT_ID: 'page' };
  const signIn = { issuer, audience, clientId: 'page' };
  expect(parse(client)?.signIn).toEqual({
    ...signIn,
    scope: 'openid plants:create plants:read plants:update plants:delete',
  });
  const named = { JWT_SCOPES: 'create=w read=r update=w delete=w', JWT_REQUIRED_SCOPE: 'shop' };
  expect(parse({ ...client, ...named })?.signIn).toEqual({ ...signIn, scope: 'openid w r shop' });
  const JWT_CLIENT_SCOPES = 'openid offline_access api://plants/.default';
  const JWT_CLIENT_ORIGINS = 'https://a.example, https://b.example:8443';
  expect(parse({ ...client, JWT_CLIENT_SCOPES, JWT_CLIENT_ORIGINS })?.signIn).toEqual({
    ...signIn,
    scope: JWT_CLIENT_SCOPES,
    origins: ['https://a.example', 'https://b.example:8443'],
  });
});

it('has the claims of a provider, which settings can override', () => {
  const entra = parse({ ...complete, JWT_PROVIDER: 'entra', JWT_CLIENT_ID: 'page', JWT_AUDIENCE: 'a b' });
  expect(entra).toMatchObject({
    audiences: ['a', 'b'],
    profile: { scopeClaims: ['scp', 'roles'], audienceClaims: ['aud'], subjectClaims: ['sub'] },
    scopes: { create: 'Plants.Create', read: 'Plants.Read' },
    withoutScopes: [],
    signIn: { audience: 'a', scope: 'openid a/.default' },
  });
  const claims = {
    JWT_SCOPE_CLAIM: 'https://example.com/roles a.b',
    JWT_AUDIENCE_CLAIM: 'azp',
    JWT_SUBJECT_CLAIM: 'oid sub',
  };
  expect(parse({ ...complete, JWT_PROVIDER: 'keycloak', ...claims, JWT_SCOPES: 'read=r' })).toMatchObject({
    profile: {
      scopeClaims: ['https://example.com/roles', 'a.b'],
      audienceClaims: ['azp'],
      subjectClaims: ['oid', 'sub'],
      accessTokenClaims: { typ: 'Bearer' },
    },
    scopes: { create: 'plants:create', read: 'r' },
  });
  expect(parse({ ...complete, JWT_SCOPE_CLAIM: 'roles' })?.withoutScopes).toEqual([]);
});

const google = { JWT_PROVIDER: 'google', JWT_SCOPES: 'read=shop@plants.iam.gserviceaccount.com' };

it.each([
  [{ ...google, JWT_SCOPES: '' }, 'JWT_SCOPES is required because JWT_PROVIDER is google'],
  [{ ...google, JWT_SCOPES: 'read=a@gmail.com' }, 'JWT_SCOPES must contain service account addresses'],
  [
    { ...google, JWT_SCOPES: `${google.JWT_SCOPES} create=a@gmail.com` },
    'JWT_SCOPES must contain service account addresses',
  ],
  [
    { ...google, JWT_SCOPES: `${google.JWT_SCOPES}.example` },
    'JWT_SCOPES must contain service account addresses',
  ],
  [{ ...google, JWT_CLIENT_ID: 'page' }, 'JWT_CLIENT_ID cannot be used with google'],
])('explains what Google is not used for: %j', (environment, problem) => {
  expect(() => parse({ ...complete, ...google })).not.toThrow();
  expect(() => parse({ ...complete, ...environment })).toThrow(problem);
});

it.each([
  [{ JWT_CLIENT_SCOPES: 'openid' }, 'JWT_CLIENT_ID is required when JWT_CLIENT_SCOPES is set'],
  [{ JWT_CLIENT_ORIGINS: 'https://a.example' }, 'JWT_CLIENT_ID is required when JWT_CLIENT_ORIGINS is set'],
  [{ JWT_CLIENT_ID: 'page', JWT_CLIENT_ORIGINS: 'https://a.example/' }, 'must be https origins'],
  [{ JWT_CLIENT_ID: 'page', JWT_CLIENT_ORIGINS: 'https://a.example,*' }, 'must be https origins'],
  [{ JWT_CLIENT_ID: 'page', JWT_CLIENT_SCOPES: 'plants:read' }, 'must include the scope openid'],
  [{ JWT_CLIENT_ID: 'page', JWT_CLIENT_SCOPES: 'openid  read' }, 'separated by single spaces'],
  [{ JWT_CLIENT_ID: 'ü' }, 'must be 1 to 255 visible ASCII characters'],
  [
    { JWT_CLIENT_ID: 'page', JWT_ISSUER: 'http://id.example.com' },
    'JWT_CLIENT_ID requires JWT_ISSUER to be an https URL',
  ],
])('explains what is wrong with the client: %j', (environment, problem) => {
  expect(() => parse({ ...complete, ...environment })).toThrow(problem);
});

it.each([
  [{ JWT_ISSUER: 'x' }, ['JWT_AUDIENCE', 'JWT_JWKS_URL'], 'JWT_ISSUER'],
  [{ JWT_ISSUER: 'x', JWT_AUDIENCE: 'y' }, ['JWT_JWKS_URL'], 'JWT_ISSUER'],
  [{ ...complete, JWT_AUDIENCE: '' }, ['JWT_AUDIENCE'], 'JWT_ISSUER'],
  [{ JWT_REQUIRED_SCOPE: 'x' }, ['JWT_ISSUER', 'JWT_AUDIENCE', 'JWT_JWKS_URL'], 'JWT_REQUIRED_SCOPE'],
])('names what is missing of %j', (environment, missing, present) => {
  const lines = missing.map((name) => `  ${name} is required when ${present} is set\n`);
  expect(() => parse(environment)).toThrow(`is not valid:\n${lines.join('')}Fix`);
});

it.each([
  [
    'JWT_ALGORITHMS',
    'must be a comma-separated list of these names: RS256,',
    ['none', 'HS256', 'RS256,HS256'],
  ],
  ['JWT_ALGORITHMS', 'must be a comma-separated list of these names: RS256,', ['rs256', 'RS256,']],
  ['JWT_TYPES', 'must be a comma-separated list of these names: at+jwt, JWT', ['id_token']],
  ['JWT_JWKS_URL', 'must be an https URL', ['http://id.example.com/jwks', 'file:///jwks', 'id.example.com']],
  ['JWT_JWKS_URL', 'must be an https URL', ['http://192.168.0.1/jwks', 'ftp://localhost/jwks']],
  [
    'JWT_JWKS_URL',
    'must be an https URL',
    ['http://127.0.0.1.example.com/jwks', 'https://id.example.com/jwks#a'],
  ],
  ['JWT_JWKS_URL', 'must be an https URL', ['https://user@id.example.com/jwks']],
  ['JWT_CLOCK_TOLERANCE_SECONDS', 'must be a whole number from 0 to 300', ['301', '-1', '1.5', '1e2', 'x5']],
  ['JWT_REQUIRED_SCOPE', 'must be one scope', ['plants create', '"', 'a,b', 'a;b']],
  [
    'JWT_ISSUER',
    'must be a single value',
    [' a', 'a ', 'https://a.example,https://b.example', 'https://a.example http://b.example'],
  ],
  [
    'JWT_AUDIENCE',
    'must be exact audience values, separated by single spaces',
    ['https://a.example,https://b.example', 'a,http://b.example', ' a', 'a  b', 'a\tb'],
  ],
  ['JWT_PROVIDER', 'must be one of auth0, cognito, entra, google, keycloak, okta', ['Okta', 'azure']],
  ['JWT_SCOPE_CLAIM', 'must be claim names', ['scope  scp', ' scope', 'äscope', 'scopeä']],
  [
    'JWT_SCOPES',
    'must be scope=name pairs with names from the identity provider',
    [
      'plants:create',
      'write=plants:write',
      'create=',
      'create=a  read=b',
      'create=a create=b',
      'create=a,read=b',
      'create=a;read=b',
      'create=a|read=b',
      'create=a=read=b',
      'create=a,b',
      '=a',
      'create=a,write=b',
      'create==a',
      'create:a',
      'create=a\tread=b',
      'create=a ',
      'create=a\n',
      '!create=a',
    ],
  ],
])('rejects as %s, which %s: %j', (name, message, values) => {
  for (const value of values)
    expect(() => parse({ ...complete, [name]: value }), value).toThrow(`${name} ${message}`);
});

it('quotes the invalid pair', () => {
  expect(() => parse({ ...complete, JWT_SCOPES: 'create=a read=b,delete=c' })).toThrow(
    'such as create=plants:create read=plants:read update=plants:update delete=plants:delete; "read=b,delete=c" is invalid',
  );
});

it.each(['http://localhost:8080/jwks', 'http://127.0.0.1/jwks', 'http://[::1]:1/jwks'])(
  'accepts http on a loopback address: %s',
  (url) => {
    expect(parse({ ...complete, JWT_JWKS_URL: url })).toHaveProperty('jwksUrl', url);
  },
);
