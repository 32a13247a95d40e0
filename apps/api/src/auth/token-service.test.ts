import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { isAccessTokenFormat } from '@plant-store/contract/access-token';
import type { AccessToken } from '@plant-store/records';
import { beforeEach, expect, it, vi } from 'vitest';
import {
  cacheSize,
  createTokenService,
  generateAccessToken,
  hashAccessToken,
  hideAccessTokens,
  type TokenService,
} from './token-service.js';

/** A store in memory that counts its look-ups. */
function createMemoryStore() {
  const tokens = new Map<string, AccessToken>();
  let lookUps = 0;
  const store: Parameters<typeof createTokenService>[0] = {
    addWithinLimit: async (_limit, token, { by }) => store.add(token, by),
    async add({ hash, ...request }) {
      const unused = { createdAt: new Date(0), revokedAt: null, lastUsedAt: null };
      const token = { id: tokens.size + 1, ...request, ...unused };
      tokens.set(hash, token);
      return token;
    },
    async findByHash(hash) {
      lookUps++;
      return tokens.get(hash) ?? null;
    },
    listLatest: async () => [...tokens.values()],
    find: async (id) => [...tokens.values()].find((token) => token.id === id) ?? null,
    async revoke(id, revokedAt) {
      const [hash, token] = [...tokens].find(([, token]) => token.id === id) ?? [];
      if (!hash || !token) return null;
      tokens.set(hash, { ...token, revokedAt });
      return { ...token, revokedAt };
    },
    expire: async () => null,
  };
  return { store, hashes: () => [...tokens.keys()], lookUps: () => lookUps };
}

let now = 0;
let memory: ReturnType<typeof createMemoryStore>;
let accessTokens: TokenService;

beforeEach(() => {
  now = 1_000_000;
  memory = createMemoryStore();
  accessTokens = createTokenService(memory.store, () => now);
});

it('stores only the hash of a token', async () => {
  const { secret: text, token } = await accessTokens.issue({ name: 'shop' });
  expect(memory.hashes()).toEqual([hashAccessToken(text)]);
  expect(JSON.stringify(await accessTokens.listLatest())).not.toContain(text);
  expect(token).toMatchObject({ id: 1, name: 'shop', expiresAt: null });
});

it('reads the store once for many checks, concurrent ones too', async () => {
  const { secret: text } = await accessTokens.issue({ name: 'shop' });
  const checks = await Promise.all(Array.from({ length: 50 }, () => accessTokens.verify(text)));
  checks.push(await accessTokens.verify(text));
  expect(new Set(checks.map(({ status }) => status))).toEqual(new Set(['valid']));
  expect(memory.lookUps()).toBe(1);
});

it('reports a use at each look-up of a valid token, but not for cached ones', async () => {
  const onUse = vi.fn();
  accessTokens = createTokenService(memory.store, () => now, onUse);
  const valid = await accessTokens.issue({ name: 'a' });
  const revoked = await accessTokens.issue({ name: 'b' });
  await accessTokens.revoke(revoked.token.id);
  const expired = await accessTokens.issue({ name: 'c', expiresAt: new Date(now) });
  for (const text of [generateAccessToken(), revoked.secret, expired.secret, 'x'])
    await accessTokens.verify(text);
  expect(onUse).not.toHaveBeenCalled();
  for (let count = 0; count < 3; count++) await accessTokens.verify(valid.secret);
  expect(onUse.mock.calls).toEqual([[valid.token]]);
});

it('verifies only cached or malformed tokens without a look-up', async () => {
  for (const malformed of ['', 'x', generateAccessToken().slice(0, -1)]) {
    expect(accessTokens.verifyCached(malformed)).toEqual({ status: 'malformed' });
    expect(await accessTokens.verify(malformed)).toEqual({ status: 'malformed' });
  }
  const { secret: text } = await accessTokens.issue({ name: 'shop' });
  expect(accessTokens.verifyCached(text)).toBeUndefined();
  expect(memory.lookUps()).toBe(0);
  const verification = await accessTokens.verify(text);
  expect(verification.status).toBe('valid');
  expect(accessTokens.verifyCached(text)).toEqual(verification);
  expect(memory.lookUps()).toBe(1);
});

it('distinguishes unknown, revoked and expired tokens', async () => {
  expect(await accessTokens.verify(generateAccessToken())).toEqual({ status: 'unknown' });

  const expiring = await accessTokens.issue({ name: 'a', expiresAt: new Date(now + 10) });
  expect(await accessTokens.verify(expiring.secret)).toMatchObject({ status: 'valid' });
  now += 10;
  expect(await accessTokens.verify(expiring.secret)).toEqual({ status: 'expired' });

  const revoked = await accessTokens.issue({ name: 'b' });
  expect(await accessTokens.verify(revoked.secret)).toMatchObject({ status: 'valid' });
  expect(await accessTokens.revoke(revoked.token.id)).toMatchObject({ name: 'b', revokedAt: new Date(now) });
  expect(await accessTokens.verify(revoked.secret)).toEqual({ status: 'revoked' });
  expect(await accessTokens.revoke(7)).toBeNull();
});

it('does not cache a look-up that failed', async () => {
  const { secret: text } = await accessTokens.issue({ name: 'shop' });
  const { findByHash } = memory.store;
  memory.store.findByHash = () => Promise.reject(new Error('away'));
  await expect(accessTokens.verify(text)).rejects.toThrow('away');
  memory.store.findByHash = findByHash;
  expect(await accessTokens.verify(text)).toMatchObject({ status: 'valid' });
});

/** Makes all look-ups of the store wait after reading; returns a function that ends the wait. */
function holdLookUps(): () => void {
  const { findByHash } = memory.store;
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  memory.store.findByHash = async (hash) => {
    const found = await findByHash(hash);
    await held;
    return found;
  };
  return release;
}

it('finishes a look-up during which tokens are revoked, and does not cache its result', async () => {
  const { secret: text, token } = await accessTokens.issue({ name: 'shop' });
  const release = holdLookUps();
  const lookUp = accessTokens.verify(text);
  await accessTokens.revoke(token.id);
  release();
  expect(await lookUp).toMatchObject({ status: 'valid' });
  expect(await accessTokens.verify(text)).toEqual({ status: 'revoked' });
});

it('finishes a look-up that later ones evict from the cache', async () => {
  const { secret: text } = await accessTokens.issue({ name: 'shop' });
  const release = holdLookUps();
  const lookUp = accessTokens.verify(text);
  const others = Array.from({ length: cacheSize }, () => accessTokens.verify(generateAccessToken()));
  release();
  expect(await lookUp).toMatchObject({ status: 'valid' });
  expect(new Set((await Promise.all(others)).map(({ status }) => status))).toEqual(new Set(['unknown']));
});

it('generates distinct tokens of one format, and hashes them with SHA-256 in hexadecimal', () => {
  const tokens = Array.from({ length: 100 }, generateAccessToken);
  for (const token of tokens) {
    expect(token).toMatch(/^pst_[0-9A-Za-z]{49}$/);
    expect(isAccessTokenFormat(token)).toBe(true);
    expect(hashAccessToken(token)).toBe(createHash('sha256').update(token).digest('hex'));
  }
  expect(new Set(tokens).size).toBe(tokens.length);
});

it('masks tokens, complete or truncated, anywhere in a text', () => {
  const token = generateAccessToken();
  expect(hideAccessTokens(`/a/${token}/${token.slice(0, 9)}?x`)).toBe('/a/pst_***/pst_***?x');
  expect(hideAccessTokens('/plants')).toBe('/plants');
});

it('masks JSON Web Tokens, but not other text that begins like one', () => {
  const payload = 'eyJzdWIiOiJhIn0';
  for (const header of ['eyJhbGciOiJSUzI1NiJ9', 'eyAiYWxnIjoiUlMyNTYifQ']) {
    const jwt = `${header}.${payload}.c2ln-_`;
    expect(hideAccessTokens(`/a/${jwt}/${jwt.slice(0, 30)}?x`)).toBe('/a/***/***?x');
  }
  expect(hideAccessTokens('/eyJ/eyJhbGciOiJSUzI1NiJ9')).toBe('/eyJ/eyJhbGciOiJSUzI1NiJ9');
});

it.each(['eyJ', 'eyJ.', '.eyJ', 'a.eyJ', '-', 'pst_', 'pst_a'])(
  'takes time in proportion to the length of a text, such as one of %j only',
  (part) => {
    const text = `${part.repeat(300_000)}.eyJ!.eyJ`;
    // This takes milliseconds; in quadratic time it would take minutes. Nothing else can interrupt a regular expression.
    const hide = () => hideAccessTokens(text);
    expect(() => runInNewContext('hide()', { hide }, { timeout: 60_000 })).not.toThrow();
  },
);
