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

it.each([
  ['RSA', 'RS256'],
  ['RSA', 'RS512'],
  ['RSA', 'PS384'],
  ['EC', 'ES256'],
  ['OKP', 'EdDSA'],
  ['OKP', 'Ed25519'],
])('a key of the type %s that names no algorithm fits %s, and no other type does', async (kty, algorithm) => {
  const keys = [rsa, ec, await createJwk('Ed25519')];
  const found = await findUsableKeys(keys, [algorithm]);
  expect(found.map((key) => key.kty)).toEqual([kty]);
});

it('a key that names its algorithm fits that one alone', async () => {
  const key = { ...rsa, alg: 'RS384' };
  for (const algorithm of ['RS256', 'ES256']) expect(await findUsableKeys([key], [algorithm])).toEqual([]);
  expect(await findUsableKeys([key], ['RS384'])).toEqual([key]);
});
