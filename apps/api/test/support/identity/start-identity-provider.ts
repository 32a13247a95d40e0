import { generateKeyPairSync } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose';
import { listen } from '../listen.js';

/** Claims or headers, valid or not. */
export type Members = Readonly<Record<string, unknown>>;

/** A key pair that tokens are signed with; `jwk` is the public key as it is published. */
export type SigningKey = Awaited<ReturnType<typeof createSigningKey>>;

/** Makes a key pair; `kid` names it. */
export async function createSigningKey(kid: string, alg = 'ES256') {
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

/** A real server that publishes keys, as an identity provider does. */
export type IdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>;

/** Starts an identity provider on a free port of 127.0.0.1, with one key, until `stop` or the end of the test. */
export async function startIdentityProvider() {
  const published = {
    /** The keys that it publishes. */
    keys: [await createSigningKey('first')] as readonly SigningKey[],
    /** How often they were asked for. */
    requests: 0,
    /** Replies in another way than with its keys; `undefined` ends that. */
    reply: undefined as ((response: ServerResponse) => void) | undefined,
  };
  const server = createServer((_request, response) => {
    published.requests++;
    if (published.reply) published.reply(response);
    else response.end(JSON.stringify({ keys: published.keys.map(({ jwk }) => jwk) }));
  });
  const jwksUrl = `${await listen(server)}/jwks`;
  const names = { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URL: jwksUrl };
  const environment: Readonly<Record<string, string>> = names;
  return Object.assign(published, {
    issuer,
    audience,
    jwksUrl,
    /** The settings of a service that accepts its tokens. */
    environment,
    /** Signs a token with its first key; what is given replaces the usual claims and header, and `undefined` removes them. */
    sign(claims?: Members, header?: Members, key = published.keys[0]): Promise<string> {
      if (key === undefined) throw new Error('There is no key to sign with');
      const now = Math.floor(Date.now() / 1_000);
      const usual = { iss: issuer, aud: audience, sub: 'alice', iat: now, exp: now + 3_600 };
      return new SignJWT({ ...usual, ...claims })
        .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt', ...header } as JWTHeaderParameters)
        .sign(key.privateKey);
    },
    stop: () => void server.close().closeAllConnections(),
  });
}
