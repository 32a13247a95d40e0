import { crc32 as zlibCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  accessTokenChecksum,
  accessTokenPrefix,
  accessTokenSecretLength,
  crc32,
  isAccessTokenFormat,
} from './access-token.js';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secrets = fc.string({
  unit: fc.constantFrom(...alphabet),
  minLength: accessTokenSecretLength,
  maxLength: accessTokenSecretLength,
});
const tokens = secrets.map((secret) => {
  const body = accessTokenPrefix + secret;
  return body + accessTokenChecksum(body);
});

it('recognizes every secret with its checksum', () => {
  fc.assert(
    fc.property(tokens, (token) => {
      expect(token).toMatch(/^pst_[0-9A-Za-z]{49}$/);
      expect(isAccessTokenFormat(token)).toBe(true);
    }),
  );
});

it('detects any single mistyped character', () => {
  const position = fc.integer({ min: 4, max: 52 });
  fc.assert(
    fc.property(tokens, position, fc.constantFrom(...alphabet), (token, at, character) => {
      fc.pre(token[at] !== character);
      return !isAccessTokenFormat(token.slice(0, at) + character + token.slice(at + 1));
    }),
  );
});

it('detects any truncation, any addition, and any other prefix', () => {
  const [token = ''] = fc.sample(tokens, 1);
  for (let length = 0; length < token.length; length++) {
    expect(isAccessTokenFormat(token.slice(0, length))).toBe(false);
    expect(isAccessTokenFormat(token.slice(token.length - length))).toBe(false);
  }
  for (const other of [`${token}0`, ` ${token}`, `${token}\n`, token.replace('pst_', 'PST_')]) {
    expect(isAccessTokenFormat(other)).toBe(false);
  }
});

it('accepts a token issued long ago: the format never changes', () => {
  expect(isAccessTokenFormat(`pst_${'0'.repeat(42)}72YDVwp`)).toBe(true);
});

describe('crc32', () => {
  it('has the check value of the standard', () => {
    expect(crc32('123456789')).toBe(0xcbf43926);
    expect(crc32('')).toBe(0);
  });

  it('agrees with zlib', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary-ascii' }), (text) => crc32(text) === zlibCrc32(text)));
  });
});
