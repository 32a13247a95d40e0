import { createClient, unwrap } from '@plant-store/client';
import { afterAll, expect, it } from 'vitest';
import { startIdentityProvider } from '../support/identity/start-identity-provider.js';
import { useTestService } from '../support/start-test-service.js';

const provider = await startIdentityProvider();
afterAll(provider.stop);
const service = useTestService(provider.environment);

const ownToken = async (token: string) => {
  const reply = await createClient({ baseUrl: service.baseUrl, token }).getOwnToken();
  expect(reply.headers.get('cache-control')).toBe('no-store');
  return unwrap(reply);
};

it('an access token is shown with its id, its name, what it permits and when it expires', async () => {
  const expiresAt = new Date(Date.now() + 60_000);
  const parts = { name: 'web-shop', scopes: ['read'] as const };
  const { token, secret } = await service.accessTokens.issue({ ...parts, expiresAt });
  const shown = { ...parts, id: BigInt(token.id), expiresAt: expiresAt.toISOString() };
  expect(await ownToken(secret)).toEqual(shown);
});

it('a JSON Web Token is shown with its subject, what it permits and when it is no longer accepted', async () => {
  const exp = Math.floor(Date.now() / 1_000) + 60;
  const shown = { subject: 'alice', expiresAt: new Date((exp + 30) * 1_000).toISOString() };
  const scope = 'openid plants:read plants:delete';
  const token = await provider.sign({ sub: 'alice', exp, scope });
  expect(await ownToken(token)).toEqual({ ...shown, scopes: ['read', 'delete'] });
});

it('a token that permits nothing may ask for that, and one that has expired, or was revoked at once, may not', async () => {
  const { token, secret } = await service.accessTokens.issue({ name: 'test', scopes: [] });
  expect(await ownToken(secret)).toMatchObject({ scopes: [] });
  await service.accessTokens.revoke(token.id);
  const rejected = (why: string) => ({ status: 401, message: expect.stringContaining(why) });
  await expect(ownToken(secret)).rejects.toMatchObject(rejected('was revoked'));
  const ended = await service.accessTokens.issue({ name: 'test', expiresAt: new Date(Date.now() - 1) });
  await expect(ownToken(ended.secret)).rejects.toMatchObject(rejected('has expired'));
});
