import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { expect, it } from 'vitest';
import { findUsableKeys } from './provider-keys.js';

const algorithms = ['RS256', 'ES256'];
const ec = await createJwk('ES256');
const rsa = await createJwk('RS256');

async function createJwk(algorithm: string): Promise<JWK> {
  const { publicKey } = await generateKeyPair(algorithm, { extractable: true });
  return exportJWK(publicKey);
}

it.each<[string, unknown]>([
  ['null', null],
  ['a text', 'key'],
  ['a list', []],
  ['a key without a type', { ...ec, kty: undefined, alg: 'ES256' }],
  ['a key of an unknown type', { kty: 'XYZ', alg: 'RS256' }],
  ['a symmetric key', { kty: 'oct', k: 'AAAA', alg: 'RS256' }],
  ['an RSA key without a modulus', { ...rsa, n: undefined }],
  ['an RSA key without an exponent', { ...rsa, e: undefined }],
  ['an EC key whose point is not on the curve', { ...ec, x: 'AA' }],
  ['an EC key of another curve', await createJwk('ES384')],
  ['an EC key for an algorithm of RSA', { ...ec, alg: 'RS256' }],
  ['a key for an algorithm that is not asked for', { ...rsa, alg: 'PS256' }],
  ['a key to encrypt with', { ...rsa, use: 'enc' }],
  ['a key whose operations are those of encryption', { ...rsa, key_ops: ['encrypt'] }],
])('ignores %s, and finds the others', async (_, odd) => {
  expect(await findUsableKeys([ec, odd, rsa], algorithms)).toEqual([ec, rsa]);
  expect(await findUsableKeys([odd], algorithms)).toEqual([]);
});
