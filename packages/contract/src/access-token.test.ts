import { crc32 as zlibCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  accessTokenChecksum,
  accessTokenPrefix,
  accessTokenSecretLength,
  crc32,
  defaultScopes,
  isAccessTokenFormat,
  scopes,
} from './access-token.js';
import { scopesOf } from './resource.js';
import { resources } from './resources.js';

const character = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
const tokens = fc
  .array(character, { minLength: accessTokenSecretLength, maxLength: accessTokenSecretLength })
  .map((secret) => accessTokenPrefix + secret.join(''))
  .map((body) => body + accessTokenChecksum(body));

it('recognizes every secret with its checksum, and detects any single mistyped character', () => {
  fc.assert(
    fc.property(tokens, fc.integer({ min: 4, max: 52 }), character, (token, at, typed) => {
      expect(token).toMatch(/^pst_[0-9A-Za-z]{49}$/);
      expect(isAccessTokenFormat(token)).toBe(true);
      const mistyped = token.slice(0, at) + typed + token.slice(at + 1);
      expect(isAccessTokenFormat(mistyped)).toBe(typed === token[at]);
    }),
  );
});

it('detects any truncation, any addition, and any other prefix', () => {
  const [token = ''] = fc.sample(tokens, 1);
  const parts = Array.from(token, (_, length) => [
    token.slice(0, length),
    token.slice(token.length - length),
  ]);
  const others = [...parts.flat(), `${token}0`, ` ${token}`, `${token}\n`, token.replace('pst_', 'PST_')];
  expect(others.filter(isAccessTokenFormat)).toEqual([]);
});

it('accepts an old token: the format never changes', () => {
  expect(isAccessTokenFormat(`pst_${'0'.repeat(42)}72YDVwp`)).toBe(true);
});

it('uses the standard CRC-32, like zlib', () => {
  expect([crc32('123456789'), crc32('')]).toEqual([0xcbf43926, 0]);
  fc.assert(fc.property(fc.string({ unit: 'binary-ascii' }), (text) => crc32(text) === zlibCrc32(text)));
});

it('each resource has separate scopes, and a new token has only the oldest ones', () => {
  expect(scopes).toEqual([...Object.values(resources).flatMap((resource) => scopesOf(resource)), 'admin']);
  expect(defaultScopes).toEqual(['create', 'read', 'update', 'delete']);
  const ofGardens = scopesOf({ name: 'garden', plural: 'gardens' });
  expect(ofGardens).toEqual(defaultScopes.map((scope) => `gardens:${scope}`));
});
