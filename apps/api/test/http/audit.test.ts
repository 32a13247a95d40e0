import { createClient, unwrap } from '@plant-store/client';
import { afterAll, expect, it } from 'vitest';
import { startIdentityProvider } from '../support/identity/start-identity-provider.js';
import { useTestService } from '../support/start-test-service.js';

const provider = await startIdentityProvider();
afterAll(provider.stop);
const service = useTestService(provider.environment);
const clientOf = (token: string) => createClient({ baseUrl: service.baseUrl, token });
const body = { name: 'shop', scopes: ['read' as const] };

it('has who has created, rotated and revoked which token: a token, the subject of a JSON Web Token, or the command line', async () => {
  const { secret, token } = await service.accessTokens.issue({ name: 'ops', scopes: ['read', 'admin'] });
  const client = clientOf(secret);
  const jwt = clientOf(await provider.sign({ sub: 'anna', scope: 'plants:admin plants:read' }));
  const created = await unwrap(client.createToken({ body }));
  const rotation = { params: { id: created.id }, body: { overlapSeconds: 60 } };
  const rotated = await unwrap(jwt.rotateToken(rotation));
  await unwrap(client.revokeToken({ params: { id: rotated.id } }));
  await service.accessTokens.revoke(Number(created.id));
  const { entries } = await unwrap(client.listAudit({ query: { limit: 4 } }));
  const ops = { id: BigInt(token.id), name: 'ops' };
  const first = { id: created.id, ...body };
  // One expires at the end of the rotation, and the other with the JSON Web Token.
  const expiresAt = expect.any(String);
  const second = { id: rotated.id, ...body, expiresAt };
  const replaced = { id: created.id, name: 'shop' };
  expect(entries.map(({ number: _, at: __, ...entry }) => entry)).toEqual([
    { by: { user: expect.any(String) }, action: 'token_revoked', token: { ...first, expiresAt } },
    { by: ops, action: 'token_revoked', token: second },
    { by: { subject: 'anna' }, action: 'token_rotated', token: second, replaced },
    { by: ops, action: 'token_created', token: first },
  ]);
});
