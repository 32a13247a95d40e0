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
  const { token, secret: text } = await service.accessTokens.issue({
    name: 'web-shop',
    scopes: ['read'],
    expiresAt,
  });
  expect(await ownToken(text)).toEqual({
    id: BigInt(token.id),
    name: 'web-shop',
    scopes: ['read'],
    expiresAt: expiresAt.toISOString(),
  });
});

it('a JSON Web Token is shown with its subject, what it permits and when it is no longer accepted', async () => {
  const exp = Math.floor(Date.now() / 1_000) + 60;
  const shown = { subject: 'alice', expiresAt: new Date((exp + 30) * 1_000).toISOString() };
  const scope = 'openid plants:read plants:delete';
  expect(await ownToken(await provider.sign({ sub: 'alice', exp, scope }))).toEqual({
    ...shown,
    scopes: ['read', 'delete'],
  });
});

it('a token that permits nothing may ask for that, and one that was revoked may not', async () => {
  const { token, secret: text } = await service.accessTokens.issue({ name: 'test', scopes: [] });
  expect(await ownToken(text)).toMatchObject({ scopes: [] });
  await service.accessTokens.revoke(token.id);
  await expect(ownToken(text)).rejects.toMatchObject({
    status: 401,
    message: expect.stringMatching('revoked'),
  });
});
