import { createClient, type RequestOf, unwrap } from '@plant-store/client';
import type { Scope } from '@plant-store/contract/access-token';
import { errors } from '@plant-store/contract/errors';
import { afterAll, expect, it } from 'vitest';
import { startIdentityProvider } from '../support/identity/start-identity-provider.js';
import { useTestService } from '../support/start-test-service.js';

const provider = await startIdentityProvider();
afterAll(provider.stop);
const service = useTestService(provider.environment);
const clientOf = (token: string) => createClient({ baseUrl: service.baseUrl, token });

async function openAdmin(scopes: readonly Scope[] = ['read', 'admin']) {
  const { secret: text, token } = await service.accessTokens.issue({ name: 'ops', scopes });
  return { client: clientOf(text), id: BigInt(token.id), token };
}

/** The entries after a number, the oldest first, without numbers and times. */
async function entriesAfter(client: ReturnType<typeof createClient>, number: number) {
  const { entries } = await unwrap(client.listAudit({ query: { limit: 1_000 } }));
  return entries
    .filter((entry) => entry.number > number)
    .toReversed()
    .map(({ number: _, at: __, ...entry }) => entry);
}
const lastNumber = async (client: ReturnType<typeof createClient>) =>
  (await unwrap(client.listAudit({ query: { limit: 1 } }))).entries[0]?.number ?? 0;

const body = { name: 'shop', scopes: ['read' as const] };

it('has who has created, rotated and revoked which token: a token, the subject of a JSON Web Token, or the command line', async () => {
  const { client, id } = await openAdmin();
  const jwt = clientOf(await provider.sign({ sub: 'anna', scope: 'plants:admin plants:read' }));
  const before = await lastNumber(client);
  const created = await unwrap(client.createToken({ body }));
  const rotation = { params: { id: created.id }, body: { overlapSeconds: 60 } };
  const rotated = await unwrap(jwt.rotateToken(rotation));
  await unwrap(client.revokeToken({ params: { id: rotated.id } }));
  await service.accessTokens.revoke(Number(created.id));
  const ops = { id, name: 'ops' };
  const parts = (token: typeof created) => ({
    id: token.id,
    ...body,
    ...(token.expiresAt && { expiresAt: token.expiresAt }),
  });
  expect(await entriesAfter(client, before)).toEqual([
    { by: ops, action: 'token_created', token: parts(created) },
    {
      by: { subject: 'anna' },
      action: 'token_rotated',
      token: parts(rotated),
      replaced: { id: created.id, name: 'shop' },
    },
    { by: ops, action: 'token_revoked', token: parts(rotated) },
    // It expires at the end of the rotation.
    {
      by: { user: expect.any(String) },
      action: 'token_revoked',
      token: { ...parts(created), expiresAt: expect.any(String) },
    },
  ]);
});

it('has one entry for each request that changes something, and none for the others', async () => {
  const { client, token } = await openAdmin();
  const before = await lastNumber(client);
  const each = Array.from({ length: 20 }, () => client.createToken({ body }));
  const created = await Promise.all(each.map((reply) => unwrap(reply)));
  const id = created[0]?.id ?? 0n;
  const others = created.slice(1);
  await Promise.all([
    ...others.flatMap((other) => [1, 2].map(() => client.revokeToken({ params: { id: other.id } }))),
    client.createToken({ body: { ...body, scopes: ['delete'] } }),
    client.createToken({ body: { name: '' } as unknown as RequestOf<'createToken'>['body'] }),
    client.rotateToken({ params: { id: 999_999_999n }, body: { overlapSeconds: 0 } }),
    client.revokeToken({ params: { id: 999_999_999n } }),
  ]);
  // Only the first one finds it valid.
  const rotation = { params: { id }, body: { overlapSeconds: 0 } };
  const rotations = await Promise.all(Array.from({ length: 5 }, () => client.rotateToken(rotation)));
  expect(rotations.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400]);
  const entries = await entriesAfter(client, before);
  const count = (action: string) => entries.filter((entry) => entry.action === action).length;
  expect(['token_created', 'token_revoked', 'token_rotated'].map(count)).toEqual([20, 19, 1]);
  expect(entries).toHaveLength(40);
  const changed = entries.map(({ action, token }) => `${action} ${token?.id}`);
  expect(new Set(changed).size).toBe(40);
  // A token that was revoked gives nothing, and leaves no entry.
  await service.accessTokens.revoke(token.id);
  expect((await client.createToken({ body })).status).toBe(401);
});

it('is shown page by page, while it grows', async () => {
  const { client } = await openAdmin();
  const before = await lastNumber(client);
  for (let count = 0; count < 7; count++) await unwrap(client.createToken({ body }));
  const seen: number[] = [];
  let after: string | undefined;
  do {
    const query = { limit: 2, action: 'token_created' as const, ...(after !== undefined && { after }) };
    const { entries, next } = await unwrap(client.listAudit({ query }));
    await unwrap(client.createToken({ body }));
    seen.push(...entries.map(({ number }) => number));
    after = next;
  } while (after !== undefined && (seen.at(-1) ?? 0) > before);
  const latest = seen.filter((number) => number > before);
  expect(latest).toHaveLength(7);
  expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => b - a));
});

it('needs the scope admin', async () => {
  for (const scopes of [['create', 'read', 'update', 'delete'], []] as Scope[][]) {
    const { client } = await openAdmin(scopes);
    const reply = await client.listAudit();
    expect(reply).toMatchObject({ status: 403, body: { error: errors.insufficient_scope.error } });
  }
});

it('has no text of a token, nor of a plant, in any reply or row', async () => {
  const { client } = await openAdmin(['create', 'read', 'admin']);
  await unwrap(client.createPlant({ body: { id: 1, name: 'Unmistakable', tag: 'rarity' } }));
  const { id, secret } = await unwrap(client.createToken({ body }));
  const rotation = { params: { id }, body: { overlapSeconds: 0 } };
  const { secret: next } = await unwrap(client.rotateToken(rotation));
  const { body: page } = await client.listAudit();
  const texts = [
    JSON.stringify(page, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    JSON.stringify(await service.database.query('SELECT "by", action, about FROM audit')),
  ];
  for (const text of texts)
    for (const part of [secret.slice(4, 16), next.slice(4, 16), 'Unmistakable', 'rarity'])
      expect(text).not.toContain(part);
  expect(await service.database.readEverything()).not.toContain(secret.slice(4, 16));
});
