import { scopes } from '@plant-store/contract/access-token';
import { CompactSign, type CryptoKey, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose';
import { beforeAll, expect, it } from 'vitest';
import { type JwtRejectedError, verifyJwt } from './accept-jwts.js';
import { standardProfile } from './identity-providers.js';
import type { JwtSettings } from './jwt-settings.js';

type Members = Readonly<Record<string, unknown>>;

const now = 1_800_000_000_000;
/** The time in a number of seconds from now, in the format of claims. */
const inSeconds = (seconds: number) => now / 1_000 + seconds;
const settings: JwtSettings = {
  issuer: 'https://id.example.com/',
  audiences: ['https://plants.example.com'],
  provider: undefined,
  profile: standardProfile,
  jwksUrl: 'https://id.example.com/keys',
  algorithms: ['ES256'],
  types: ['at+jwt', 'JWT'],
  clockToleranceSeconds: 30,
  requiredScope: undefined,
  scopes: Object.fromEntries(scopes.map((scope) => [scope, `plants:${scope}`])) as JwtSettings['scopes'],
  formerUpdate: 'plants:correct',
  withoutScopes: [],
  keyTimes: { refreshMs: 1, cooldownMs: 1, timeoutMs: 1, staleMs: 1 },
  signIn: undefined,
};

let privateKey: CryptoKey;
let publicKey: CryptoKey;
beforeAll(async () => {
  ({ privateKey, publicKey } = await generateKeyPair('ES256'));
});

async function sign(claims: Members = {}, header: Members = {}): Promise<string> {
  const payload = {
    iss: settings.issuer,
    aud: [...settings.audiences],
    sub: 'shop',
    exp: inSeconds(60),
    ...claims,
  };
  return new SignJWT(payload)
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', ...header } as JWTHeaderParameters)
    .sign(privateKey, { crit: { other: true } });
}

const verify = (text: string, changed: Partial<JwtSettings> = {}) =>
  verifyJwt(text, { ...settings, ...changed }, { find: async () => publicKey }, now);

it.each<[string, Members, Members]>([
  ['as RFC 9068 has it', {}, {}],
  [
    'valid from, and issued at the limit of the clock tolerance',
    { nbf: inSeconds(30), iat: inSeconds(30) },
    {},
  ],
  ['expired just within the clock tolerance', { exp: inSeconds(-29) }, {}],
  ['whose expiry is the largest exact integer', { exp: Number.MAX_SAFE_INTEGER }, {}],
  ['for several audiences', { aud: ['plants', ...settings.audiences] }, {}],
  ['with the longest subject', { sub: 'ü'.repeat(255) }, {}],
  ['with its type as a media type, in capitals', {}, { typ: 'Application/AT+JWT' }],
  ['with the type JWT', {}, { typ: 'JWT' }],
  ['without a type', {}, { typ: undefined }],
])('accepts a token %s', async (_, claims, header) => {
  const { sub: subject = 'shop', exp = inSeconds(60) } = claims;
  const acceptedUntil = (Number(exp) + 30) * 1_000;
  expect(await verify(await sign(claims, header))).toEqual({ subject, scopes: [], acceptedUntil });
});

it.each<[status: string, string, Members, Members]>([
  ['wrong_issuer', 'of another issuer', { iss: 'https://id.example.com' }, {}],
  ['wrong_audience', 'for another audience', { aud: 'plants' }, {}],
  ['wrong_audience', 'for other audiences', { aud: ['plants', 'other'] }, {}],
  ['expired', 'expired', { exp: inSeconds(-31) }, {}],
  ['not_yet_valid', 'not valid yet', { nbf: inSeconds(31) }, {}],
  ['not_yet_valid', 'issued in the future', { iat: inSeconds(31) }, {}],
  ['missing_claim', 'whose time of issue is a text', { iat: '1' }, {}],
  ['missing_claim', 'whose expiry is a text', { exp: '2030-01-01' }, {}],
  ['missing_claim', 'whose start is a text', { nbf: '2030-01-01' }, {}],
  ['missing_claim', 'without an audience', { aud: undefined }, {}],
  ['missing_claim', 'without an issuer', { iss: undefined }, {}],
  ['missing_claim', 'without an expiry', { exp: undefined }, {}],
  ['missing_claim', 'without a subject', { sub: undefined }, {}],
  ['missing_claim', 'whose subject is a number', { sub: 7 }, {}],
  ['missing_claim', 'whose subject is empty', { sub: '' }, {}],
  ['missing_claim', 'whose subject is null', { sub: null }, {}],
  ['missing_claim', 'whose subject is too long', { sub: 'a'.repeat(256) }, {}],
  ['missing_claim', 'with a control character in its subject', { sub: 'a\u001b[2Jb' }, {}],
  ['missing_claim', 'with a line separator in its subject', { sub: 'a\u2028b' }, {}],
  ['missing_claim', 'whose subject begins with a line break', { sub: '\nshop' }, {}],
  ['missing_claim', 'whose subject ends with a line break', { sub: 'shop\n' }, {}],
  ['wrong_issuer', 'of an issuer whose name begins alike', { iss: `${settings.issuer}x` }, {}],
  ['wrong_type', 'of a logout', {}, { typ: 'logout+jwt' }],
  ['wrong_type', 'whose type only ends like a media type', {}, { typ: 'x-application/at+jwt' }],
  ['wrong_type', 'with a media type within its type', {}, { typ: 'at+application/jwt' }],
  ['malformed_jwt', 'whose type is no text', {}, { typ: 7 }],
  ['unsupported_extension', 'with an extension', {}, { crit: ['other'], other: 1 }],
  ['unsupported_extension', 'with the extension b64', {}, { crit: ['b64'], b64: true }],
])('rejects as %s a token %s', async (status, _, claims, header) => {
  const error = await catchRejection(verify(await sign(claims, header)));
  const message = `The token was rejected: ${status}`;
  expect(error).toMatchObject({ name: 'JwtRejectedError', status, message });
});

it.each([
  ['exp', '1e400'],
  ['exp', '9007199254740993'],
  ['nbf', '-1e400'],
  ['iat', '-1e400'],
])('rejects as missing_claim a token whose %s is %s', async (claim, time) => {
  const claims = JSON.parse(Buffer.from((await sign()).split('.')[1] ?? '', 'base64url').toString());
  const payload = JSON.stringify({ ...claims, [claim]: 'time' }).replace('"time"', time);
  const token = await new CompactSign(Buffer.from(payload))
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' })
    .sign(privateKey);
  expect(await catchRejection(verify(token))).toMatchObject({ status: 'missing_claim' });
});

it('rejects as malformed_jwt a token whose algorithm is no text', async () => {
  const header = Buffer.from('{"alg":7}').toString('base64url');
  const [, ...rest] = (await sign()).split('.');
  const error = await catchRejection(verify([header, ...rest].join('.')));
  expect(error).toMatchObject({ status: 'malformed_jwt' });
});

it('rejects text that is not a token as malformed_jwt', async () => {
  const error = await catchRejection(verify('a.b.c'));
  expect(error).toMatchObject({ status: 'malformed_jwt', cause: expect.any(Error) });
});

it('rejects a token with an algorithm that is not allowed before looking for its key', async () => {
  const find = () => Promise.reject(new Error('looked for'));
  const verified = verifyJwt(await sign(), { ...settings, algorithms: ['RS256'] }, { find }, now);
  expect(await catchRejection(verified)).toMatchObject({ status: 'algorithm_not_allowed' });
});

it('rejects as bad_signature a token of another key, and keeps the cause', async () => {
  const { publicKey: other } = await generateKeyPair('ES256');
  const verified = verifyJwt(await sign(), settings, { find: async () => other }, now);
  expect(await catchRejection(verified)).toMatchObject({
    status: 'bad_signature',
    cause: expect.objectContaining({ code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' }),
  });
});

it('rejects as unusable_key a token whose key cannot be read', async () => {
  const find = () => Promise.reject(new TypeError('Invalid key'));
  expect(await catchRejection(verifyJwt(await sign(), settings, { find }, now))).toMatchObject({
    status: 'unusable_key',
  });
});

it.each<[string, Members, accepted: boolean]>([
  ['among others', { scope: 'plants:read plants:write' }, true],
  ['in scp', { scp: ['plants:write'] }, true],
  ['in scp, a text', { scp: 'plants:write openid' }, true],
  ['only as a part of another one', { scope: 'plants:write:own' }, false],
  ['in a claim that is neither a text nor a list', { scope: { 0: 'plants:write' } }, false],
  ['in a claim that is a number', { scope: 7 }, false],
  ['nowhere', {}, false],
])('finds the required scope %s', async (_, claims, accepted) => {
  const verified = verify(await sign(claims), { requiredScope: 'plants:write' });
  if (accepted) await verified;
  else expect(await catchRejection(verified)).toMatchObject({ status: 'insufficient_scope' });
});

it.each<[string, Members, permitted: string[]]>([
  ['the scopes that it names', { scope: 'plants:delete plants:read openid' }, ['read', 'delete']],
  ['the scope that 1.4 called correct', { scope: 'plants:correct' }, ['update']],
  ['those in scp', { scp: ['plants:create'] }, ['create']],
  ['none of another spelling', { scope: 'plants:creates Plants:read plants:read,plants:delete' }, ['left']],
  ['what is left to one without any', {}, ['left']],
])('permits %s', async (_, claims, permitted) => {
  const withoutScopes = ['left'] as string[] as JwtSettings['withoutScopes'];
  expect((await verify(await sign(claims), { withoutScopes })).scopes).toEqual(permitted);
});

async function catchRejection(verified: Promise<unknown>): Promise<JwtRejectedError> {
  return verified.then(
    () => expect.unreachable('It was accepted'),
    (error: JwtRejectedError) => error,
  );
}
