import { createServer, type RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { expect, it } from 'vitest';
import { listen } from '../../test/support/listen.js';
import { fetchKeySet, findUsableKeys } from './provider-keys.js';

/** An identity provider that gives each request the same reply; returns its address. */
async function startProvider(listener: RequestListener): Promise<string> {
  return `${await listen(createServer(listener))}/keys`;
}

const fetchFrom = (url: string) => fetchKeySet(url, AbortSignal.timeout(10_000));
/** A key set of so many bytes. */
const keySetOf = (bytes: number) => '{"keys":[]}'.padEnd(bytes);

it('asks for a key set, or for JSON', async () => {
  let accepted: string | undefined;
  const url = await startProvider(({ headers }, response) => {
    accepted = headers.accept;
    response.end(keySetOf(0));
  });
  expect(await fetchFrom(url)).toEqual({ keys: [] });
  expect(accepted).toBe('application/jwk-set+json, application/json');
});

it.each([
  [201, ''],
  [299, ''],
  [300, '; redirects are not followed'],
  [399, '; redirects are not followed'],
  [400, ''],
  [500, ''],
])('rejects the status %d', async (status, hint) => {
  const url = await startProvider((_, response) => response.writeHead(status, { Location: '/' }).end('{}'));
  await expect(fetchFrom(url)).rejects.toThrow(
    expect.objectContaining({ message: `${url} returned status ${status}${hint}` }),
  );
});

it('reads at most 256 KiB, compressed or not', async () => {
  const largest = await startProvider((_, response) => response.end(keySetOf(2 ** 18)));
  expect(await fetchFrom(largest)).toEqual({ keys: [] });
  const plain = await startProvider((_, response) => response.end(keySetOf(2 ** 18 + 1)));
  const compressed = await startProvider((_, response) =>
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(keySetOf(2 ** 18 + 1))),
  );
  for (const url of [plain, compressed])
    await expect(fetchFrom(url)).rejects.toThrow('returned more than 262144 bytes');
});

it('does not quote invalid JSON, and keeps the cause', async () => {
  const url = await startProvider((_, response) => response.end('secret'));
  await expect(fetchFrom(url)).rejects.toThrow(
    expect.objectContaining({ message: `${url} did not return JSON`, cause: expect.any(SyntaxError) }),
  );
});

it('names the code of the error when the connection breaks', async () => {
  const url = await startProvider((request) => request.socket.destroy());
  const message = expect.stringMatching(/^http:\S+ is not responding: (UND_ERR_SOCKET|ECONNRESET)$/);
  await expect(fetchFrom(url)).rejects.toThrow(
    expect.objectContaining({ message, cause: expect.any(Error) }),
  );
});

it('names the problem if there is no code, such as a port that fetch blocks', async () => {
  await expect(fetchFrom('http://127.0.0.1:1/keys')).rejects.toThrow('/keys is not responding: bad port');
});

it('ends at the signal, and says why', async () => {
  const url = await startProvider(() => undefined);
  await expect(fetchKeySet(url, AbortSignal.abort(new Error('It took too long')))).rejects.toThrow(
    `${url} is not responding: It took too long`,
  );
});

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

it('a key that names its algorithm fits only that one', async () => {
  const key = { ...rsa, alg: 'RS384' };
  for (const algorithm of ['RS256', 'ES256']) expect(await findUsableKeys([key], [algorithm])).toEqual([]);
  expect(await findUsableKeys([key], ['RS384'])).toEqual([key]);
});
