import { generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../config.js';
import { verifyJwt } from './accept-jwts.js';
import { providerProfiles, readClaim, standardProfile } from './identity-providers.js';

type Members = Readonly<Record<string, unknown>>;

const now = 1_800_000_000_000;
const inSeconds = (seconds: number) => now / 1_000 + seconds;
/** The claims that every provider sets. */
const times = { iat: inSeconds(-60), exp: inSeconds(3_540) };

interface Shape {
  readonly provider: string;
  readonly issuer: string;
  /** `JWT_AUDIENCE`. */
  readonly audience: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly header: Members;
  /** The claims other than `iss` and the times. */
  readonly claims: Members;
  readonly subject: string;
  readonly permits: readonly string[];
  /** The additional claims of an ID token of the provider for the same audience. */
  readonly idToken: Members;
  /** The required claims, with their values in a token of another user. */
  readonly foreign: Members;
  /** The claim of the scopes, with a value that grants nothing here. */
  readonly ungranting: Members;
}

const tenant = '9188040d-6c67-4c5b-b112-36a304b66dad';
const client = '6731de76-14a6-49ae-97bc-6eba6914391e';
const cognito = 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_ABC123';
const account = 'shop@plants.iam.gserviceaccount.com';

/** Made up, in the shapes that the providers document. */
const shapes: Readonly<Record<string, Shape>> = {
  'Auth0, by permissions': {
    provider: 'auth0',
    issuer: 'https://plants.eu.auth0.com/',
    audience: 'https://plants.example.com',
    header: { typ: 'JWT' },
    claims: {
      sub: 'auth0|123456',
      aud: ['https://plants.example.com', 'https://plants.eu.auth0.com/userinfo'],
      azp: 'my_client_id',
      scope: 'openid profile',
      permissions: ['plants:read', 'plants:create'],
    },
    subject: 'auth0|123456',
    permits: ['create', 'read'],
    idToken: { azp: undefined, permissions: undefined, scope: undefined, nonce: 'n', sid: 's', name: 'Jane' },
    foreign: { aud: ['https://plants.eu.auth0.com/userinfo'] },
    ungranting: { permissions: [] },
  },
  'Auth0, of its profile RFC 9068': {
    provider: 'auth0',
    issuer: 'https://plants.eu.auth0.com/',
    audience: 'https://plants.example.com',
    header: { typ: 'at+jwt' },
    claims: {
      sub: 'my_client_id@clients',
      aud: 'https://plants.example.com',
      client_id: 'my_client_id',
      jti: '73WakrfVbNJBaAmhQtEeDv',
      scope: 'plants:read',
    },
    subject: 'my_client_id@clients',
    permits: ['read'],
    idToken: { client_id: undefined, nonce: 'n' },
    foreign: { aud: 'https://other.example.com' },
    ungranting: { scope: 'read' },
  },
  Cognito: {
    provider: 'cognito',
    issuer: cognito,
    audience: '1example23456789 2example10111213',
    header: { typ: undefined },
    claims: {
      sub: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
      client_id: '2example10111213',
      token_use: 'access',
      scope: 'openid plants/read plants/delete',
      username: 'jane',
      version: 2,
    },
    subject: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee',
    permits: ['read', 'delete'],
    idToken: { token_use: 'id', client_id: undefined, aud: '2example10111213', at_hash: 'h' },
    foreign: { client_id: 'another' },
    ungranting: { scope: 'others/read plants:read' },
  },
  'Entra ID, of a person': {
    provider: 'entra',
    issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
    audience: client,
    header: { typ: 'JWT' },
    claims: {
      aud: client,
      azp: 'f5a2b9a1-0000-4000-8000-000000000000',
      azpacr: '0',
      scp: 'Plants.Read Plants.Update',
      roles: ['Plants.Delete'],
      sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
      ver: '2.0',
    },
    subject: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
    permits: ['read', 'update'],
    idToken: { azp: undefined, azpacr: undefined, scp: undefined },
    foreign: { aud: '00000003-0000-0000-c000-000000000000' },
    ungranting: { scp: 'access_as_user' },
  },
  'Entra ID, of an application, in version 1': {
    provider: 'entra',
    issuer: `https://sts.windows.net/${tenant}/`,
    audience: `api://${client}`,
    header: { typ: 'JWT', x5t: 'first' },
    claims: {
      aud: `api://${client}`,
      appid: 'f5a2b9a1-0000-4000-8000-000000000000',
      appidacr: '1',
      idtyp: 'app',
      roles: ['Plants.Create', 'Plants.Read'],
      sub: 'f5a2b9a1-1111-4000-8000-000000000000',
      ver: '1.0',
    },
    subject: 'f5a2b9a1-1111-4000-8000-000000000000',
    permits: ['create', 'read'],
    idToken: { appid: undefined, appidacr: undefined },
    foreign: { aud: client },
    ungranting: { roles: ['plants.read', 'Plants.Read.All'] },
  },
  'Google, of a service account': {
    provider: 'google',
    issuer: 'https://accounts.google.com',
    audience: 'https://plants.example.com',
    settings: { JWT_SCOPES: `create=${account} read=${account}` },
    header: { typ: 'JWT' },
    claims: {
      aud: 'https://plants.example.com',
      azp: account,
      email: account,
      email_verified: true,
      sub: '113774264463038321964',
    },
    subject: '113774264463038321964',
    permits: ['create', 'read'],
    idToken: { at_hash: 'h', email: 'jane@example.com', hd: 'example.com' },
    foreign: { aud: '32555940559.apps.googleusercontent.com' },
    ungranting: { email: 'shop@others.iam.gserviceaccount.com' },
  },
  Keycloak: {
    provider: 'keycloak',
    issuer: 'https://id.example.com/realms/garden',
    audience: 'plants',
    header: { typ: 'JWT' },
    claims: {
      aud: ['plants', 'account'],
      sub: '7d3a0a0c-0000-4000-8000-000000000000',
      typ: 'Bearer',
      azp: 'web-shop',
      nonce: 'as older ones have it',
      realm_access: { roles: ['offline_access', 'plants:delete'] },
      resource_access: { account: { roles: ['view-profile'] } },
      scope: 'openid plants:read',
    },
    subject: '7d3a0a0c-0000-4000-8000-000000000000',
    permits: ['read'],
    idToken: { typ: 'ID' },
    foreign: { aud: 'account' },
    ungranting: { scope: 'openid' },
  },
  'Keycloak, lightweight, by roles of a client': {
    provider: 'keycloak',
    issuer: 'https://id.example.com/realms/garden',
    audience: 'plants',
    settings: {
      JWT_SCOPE_CLAIM: 'resource_access.plants.roles',
      JWT_SCOPES: 'read=reader update=gardener delete=gardener',
    },
    header: { typ: 'JWT' },
    claims: {
      aud: 'plants',
      typ: 'Bearer',
      azp: 'web-shop',
      resource_access: { plants: { roles: ['gardener'] }, other: { roles: ['reader'] } },
      scope: 'openid',
    },
    subject: 'web-shop',
    permits: ['update', 'delete'],
    idToken: { typ: 'ID', at_hash: 'h' },
    foreign: { aud: ['web-shop'] },
    ungranting: { resource_access: { other: { roles: ['gardener'] } } },
  },
  Okta: {
    provider: 'okta',
    issuer: 'https://example.okta.com/oauth2/default',
    audience: 'api://default',
    header: { typ: undefined },
    claims: {
      ver: 1,
      jti: 'AT.MNAoEQ_jbKqoinrQo1D0XKjMX28U5d7ZszBceot7',
      aud: 'api://default',
      cid: '0oa1example',
      uid: '00u1example',
      scp: ['openid', 'plants:create'],
      sub: 'jane@example.com',
    },
    subject: 'jane@example.com',
    permits: ['create'],
    idToken: { jti: 'ID.rad', cid: undefined, uid: undefined, scp: undefined, amr: ['pwd'] },
    foreign: { aud: 'https://example.okta.com' },
    ungranting: { scp: ['openid', 'plants'] },
  },
};

let keys: Awaited<ReturnType<typeof generateKeyPair>>;
beforeAll(async () => {
  keys = await generateKeyPair('RS256');
});

/** Verifies a token of the shape with some changes. */
async function verify(
  { provider, issuer, audience, settings, header, claims }: Shape,
  changedClaims: Members = {},
) {
  const token = await new SignJWT({ ...times, iss: issuer, ...claims, ...changedClaims })
    .setProtectedHeader({ alg: 'RS256', ...header } as JWTHeaderParameters)
    .sign(keys.privateKey);
  const required = { JWT_PROVIDER: provider, JWT_ISSUER: issuer, JWT_AUDIENCE: audience };
  const { jwt } = parseConfig({ JWT_JWKS_URL: 'https://id.example.com/keys', ...required, ...settings }, '/');
  if (jwt === undefined) throw new Error('no settings');
  return verifyJwt(token, jwt, { find: async () => keys.publicKey }, now);
}

describe.each(Object.entries(shapes))('a token of %s', (_, shape) => {
  it('is accepted with its preset', async () => {
    const { subject, permits: scopes } = shape;
    expect(await verify(shape)).toMatchObject({ subject, scopes });
  });

  // What no preset changes is in accept-jwts.test.ts.
  it.each<[status: string, string, Members | ((shape: Shape) => Members)]>([
    ['wrong_audience', 'for another audience', ({ foreign }) => foreign],
    ['wrong_audience', 'whose audience is a number', ({ foreign }) => ({ [nameOf(foreign)]: 7 })],
    ['wrong_audience', 'whose audience is an object', ({ foreign, claims }) => wrap(claims, foreign)],
    ['missing_claim', 'without an audience', ({ foreign }) => ({ [nameOf(foreign)]: undefined })],
    ['wrong_type', 'that is an ID token', ({ idToken }) => idToken],
    ['wrong_type', 'with the hash of an access token', { at_hash: 'h' }],
    ['wrong_type', 'with the hash of a code', { c_hash: 'h' }],
    ['missing_claim', 'whose subject is a list', { sub: ['alice'] }],
    [
      'missing_claim',
      'without a subject',
      ({ claims }) => ({ sub: undefined, ...(claims['typ'] === 'Bearer' && { azp: undefined }) }),
    ],
  ])('is rejected as %s if it is one %s', async (status, _, changed) => {
    const claims = typeof changed === 'function' ? changed(shape) : changed;
    await expect(verify(shape, claims)).rejects.toMatchObject({ name: 'JwtRejectedError', status });
  });

  it.each<[string, (shape: Shape) => Members]>([
    ['others', ({ ungranting }) => ungranting],
    ['a number', ({ ungranting }) => ({ [nameOf(ungranting)]: 7 })],
    ['an object', ({ ungranting, claims }) => wrap(claims, ungranting)],
    [
      'a list within a list',
      ({ ungranting, claims }) => ({ [nameOf(ungranting)]: [[claims[nameOf(ungranting)]]] }),
    ],
    ['null', ({ ungranting }) => ({ [nameOf(ungranting)]: null })],
  ])('permits nothing if its scopes are %s', async (_, change) => {
    expect((await verify(shape, change(shape))).scopes).toEqual([]);
  });
});

const nameOf = (members: Members) => Object.keys(members)[0] ?? '';
/** The claim that the second ones name, within an object. */
const wrap = (claims: Members, named: Members) => ({ [nameOf(named)]: { value: claims[nameOf(named)] } });

it.each([
  ['a', 1],
  ['b.c', 2],
  ['b.d.e', 3],
  ['https://example.com/roles', 4],
  ['f.g.h', 5],
  ['b', { c: 2, 'd.e': 3 }],
  ['b.x', undefined],
  ['a.length', undefined],
  ['i.length', undefined],
  ['toString', undefined],
  ['b.constructor.name', undefined],
  ['', undefined],
])('reads the claim %s', (path, value) => {
  const claims = { a: 1, b: { c: 2, 'd.e': 3 }, 'https://example.com/roles': 4, 'f.g': { h: 5 }, i: 'text' };
  expect(readClaim(claims, [path])).toEqual(value);
  expect(readClaim(claims, ['x', path, 'a'])).toEqual(value ?? 1);
});

it('names the scopes of each resource after that resource, so that scopes never overlap', () => {
  const { cognito, entra } = providerProfiles;
  const named = [standardProfile, cognito, entra].map(({ nameScope }) =>
    ['read', 'admin', 'gardens:read'].map(nameScope),
  );
  expect(named).toEqual([
    ['plants:read', 'plants:admin', 'gardens:read'],
    ['plants/read', 'plants/admin', 'gardens/read'],
    ['Plants.Read', 'Plants.Admin', 'Gardens.Read'],
  ]);
});
