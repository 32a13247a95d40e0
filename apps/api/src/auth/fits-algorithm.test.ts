import { expect, it } from 'vitest';
import { fitsAlgorithm } from './provider-keys.js';

it.each([
  ['RSA', 'RS256'],
  ['RSA', 'RS512'],
  ['RSA', 'PS384'],
  ['EC', 'ES256'],
  ['OKP', 'EdDSA'],
  ['OKP', 'Ed25519'],
])('a key of the type %s that names no algorithm fits %s, and no other type does', (kty, algorithm) => {
  const fitting = ['RSA', 'EC', 'OKP', 'oct'].filter((type) => fitsAlgorithm({ kty: type }, algorithm));
  expect(fitting).toEqual([kty]);
});

it('a key that names its algorithm fits that one alone', () => {
  const fitting = ['RS256', 'RS384', 'ES256'].filter((algorithm) =>
    fitsAlgorithm({ kty: 'RSA', alg: 'RS384' }, algorithm),
  );
  expect(fitting).toEqual(['RS384']);
});

it('a key to encrypt with fits none', () => {
  expect(fitsAlgorithm({ kty: 'RSA', use: 'enc' }, 'RS256')).toBe(false);
  expect(fitsAlgorithm({ kty: 'RSA', use: 'sig' }, 'RS256')).toBe(true);
});
