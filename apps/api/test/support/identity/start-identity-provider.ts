import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose';

/** Claims or headers, valid or not. */
export type Members = Readonly<Record<string, unknown>>;

/** A key pair that tokens are signed with. */
export interface SigningKey {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  /** The public key as it is published. */
  readonly jwk: JWK;
}

/** A real server that publishes keys, as an identity provider does. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  /** The settings of a service that accepts its tokens. */
  readonly environment: Record<string, string>;
  /** The keys that it publishes. */
  keys: readonly SigningKey[];
  /** How often its keys were asked for. */
  readonly requests: number;
  /** Replies in another way than with its keys; `undefined` ends that. */
  reply: ((response: ServerResponse) => void) | undefined;
  /** Signs a token with its first key; what is given replaces the usual claims and header, and `undefined` removes them. */
  sign(claims?: Members, header?: Members, key?: SigningKey): Promise<string>;
  stop(): Promise<void>;
}

/** Makes a key pair; `kid` names it. */
export async function createSigningKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig', alg } };
}

/** Makes a key pair whose public key is published with 1,024 bits, too few to be used. */
export async function createShortKey(): Promise<SigningKey> {
  const key = await createSigningKey('short', 'RS256');
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
  return { ...key, jwk: { ...key.jwk, ...publicKey.export({ format: 'jwk' }) } };
}

/** Closes the connection without a reply, as a provider that is away. */
export function beAway(response: ServerResponse): void {
  response.destroy();
}

const issuer = 'https://id.example.com/';
const audience = 'https://plants.example.com';

/** Starts an identity provider on a free port of 127.0.0.1, with one key. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests++;
    if (provider.reply) provider.reply(response);
    else response.end(JSON.stringify({ keys: provider.keys.map(({ jwk }) => jwk) }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
  const provider: IdentityProvider = {
    issuer,
    audience,
    jwksUrl,
    environment: { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URL: jwksUrl },
    keys: [await createSigningKey('first')],
    get requests() {
      return requests;
    },
    reply: undefined,
    sign(claims, header, key = provider.keys[0]) {
      if (key === undefined) throw new Error('There is no key to sign with');
      const now = Math.floor(Date.now() / 1_000);
      const usual = { iss: issuer, aud: audience, sub: 'alice', iat: now, exp: now + 3_600 };
      return new SignJWT({ ...usual, ...claims })
        .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header } as JWTHeaderParameters)
        .sign(key.privateKey);
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}
