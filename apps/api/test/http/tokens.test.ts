import { createClient, unwrap } from '@plant-store/client';
import type { NewToken } from '@plant-store/contract';
import { defaultScopes, type Scope } from '@plant-store/contract/access-token';
import { errors } from '@plant-store/contract/errors';
import { MAX_TOKENS } from '@plant-store/contract/messages';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { readMetric, readMetrics } from '../support/admin-port.js';
import { startIdentityProvider } from '../support/identity/start-identity-provider.js';
import { findLines } from '../support/read-log.js';
import { openConnection } from '../support/send-raw.js';
import { useTestService } from '../support/start-test-service.js';
import { slackMs, until } from '../support/until.js';

const provider = await startIdentityProvider();
afterAll(provider.stop);
const service = useTestService({ ...provider.environment, ADMIN_PORT: '0' });
const clientOf = (token: string) => createClient({ baseUrl: service.baseUrl, token });
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

/** A token that manages tokens, and what else it may have. */
async function openAdmin(
  scopes: readonly Scope[] = [],
  limits: { expiresAt?: Date; ratePerMinute?: number } = {},
) {
  const request = { name: 'admin', scopes: [...scopes, 'admin' as const], ...limits };
  const { secret: text, token } = await service.accessTokens.issue(request);
  return { client: clientOf(text), text, token };
}

const rejection = (error: number) => expect.objectContaining({ error });
const beyond = rejection(errors.exceeds_issuer.error);

/** Creates a token, as far as that is permitted. */
const create = async (client: ReturnType<typeof createClient>, request: Partial<NewToken>) =>
  unwrap(client.createToken({ body: { name: 'shop', scopes: ['admin'], ...request } }));

it('a token gives no more scopes, no later expiry and no higher rate than it has, and by default its limits', async () => {
  const expiresAt = new Date(inMinutes(60));
  const { client } = await openAdmin(['read'], { expiresAt, ratePerMinute: 5_000 });
  for (const scope of ['create', 'update', 'delete'] as const)
    await expect(create(client, { scopes: [scope] })).rejects.toEqual(beyond);
  await expect(create(client, { expiresAt: inMinutes(61) })).rejects.toEqual(beyond);
  await expect(create(client, { ratePerMinute: 5_001 })).rejects.toEqual(beyond);
  expect(await create(client, { scopes: ['read', 'admin'] })).toMatchObject({
    scopes: ['read', 'admin'],
    expiresAt: expiresAt.toISOString(),
    ratePerMinute: 5_000,
  });
  const less = { expiresAt: inMinutes(59), ratePerMinute: 4_999 };
  expect(await create(client, less)).toMatchObject(less);
});

it('nor does a JSON Web Token, which expires soon', async () => {
  const exp = Math.floor(Date.now() / 1_000) + 600;
  const client = clientOf(await provider.sign({ exp, scope: 'plants:admin plants:read' }));
  await expect(create(client, { scopes: ['create'] })).rejects.toEqual(beyond);
  await expect(create(client, { expiresAt: inMinutes(12) })).rejects.toEqual(beyond);
  const { expiresAt = '' } = await create(client, { scopes: ['read'] });
  expect(Date.parse(expiresAt)).toBe((exp + 30) * 1_000);
});

it('a token rotates another one only if it has all that this one has, and never past its own expiry', async () => {
  const expiresAt = new Date(inMinutes(60));
  const { client, token } = await openAdmin(['read'], { expiresAt, ratePerMinute: 5_000 });
  const rotate = (id: number, limits = {}) =>
    unwrap(client.rotateToken({ params: { id }, body: { overlapSeconds: 60, ...limits } }));
  const issue = async (scopes: readonly Scope[], ratePerMinute?: number) =>
    (await service.accessTokens.issue({ name: 'shop', scopes, ...(ratePerMinute && { ratePerMinute }) }))
      .token.id;
  for (const id of [await issue(['read', 'delete'], 10), await issue(['read'], 5_001), await issue(['read'])])
    await expect(rotate(id)).rejects.toEqual(beyond);
  const id = await issue(['read'], 10);
  await expect(rotate(id, { expiresAt: inMinutes(61) })).rejects.toEqual(beyond);
  const limited = { expiresAt: expiresAt.toISOString() };
  expect(await rotate(id)).toMatchObject({ ...limited, scopes: ['read'], ratePerMinute: 10 });
  expect(await rotate(token.id)).toMatchObject(limited);
});

it('a token that is revoked, or made to expire sooner, while its request arrives gives nothing', async () => {
  const { token: other } = await service.accessTokens.issue({ name: 'shop', scopes: ['admin'] });
  const countVerified = () => readMetric(service, 'plant_store_token_checks_total{outcome="valid"}');
  const begin = async (path: string, request: object) => {
    const { text, token } = await openAdmin();
    const body = JSON.stringify(request);
    const connection = await openConnection(service.baseUrl);
    onTestFinished(() => connection.destroy());
    const before = await countVerified();
    connection.write(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${text}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`,
    );
    await until(async () => (await countVerified()) > before);
    return {
      token,
      async end() {
        connection.write(body.slice(-1));
        return connection.readReply();
      },
    };
  };
  const create = { name: 'late', scopes: ['admin'] };
  const rotation = await begin(`/tokens/${other.id}/rotate`, { overlapSeconds: 0 });
  const requests = [await begin('/tokens', create), rotation];
  for (const { token, end } of requests) {
    await service.accessTokens.revoke(token.id);
    expect(await end()).toMatchObject({ status: 401, body: { error: errors.invalid_token.error } });
  }
  const { token, end } = await begin('/tokens', create);
  await service.accessTokens.expireAfter(token.id, 60_000);
  expect(await end()).toMatchObject({ status: 403, body: { error: errors.exceeds_issuer.error } });
  // Nothing was created, and the other one stays as it was.
  const listed = await service.accessTokens.listLatest();
  expect(listed.filter(({ id, name }) => name === 'late' || (name === 'shop' && id > other.id))).toEqual([]);
  expect(listed.find(({ id }) => id === other.id)).toMatchObject({ revokedAt: null, expiresAt: null });
});

it('revokes any token, also itself, which no worker accepts after 5 seconds', async () => {
  const { client, token } = await openAdmin();
  const { secret: text, token: other } = await service.accessTokens.issue({
    name: 'shop',
    scopes: defaultScopes,
  });
  // Each worker has it in its cache.
  await Promise.all(Array.from({ length: 20 }, () => clientOf(text).listPlants()));
  const statuses = () =>
    Promise.all(Array.from({ length: 20 }, async () => (await clientOf(text).listPlants()).status));
  expect(new Set(await statuses())).toEqual(new Set([200]));
  const revokedAt = performance.now();
  for (const _ of [1, 2]) expect((await client.revokeToken({ params: { id: other.id } })).status).toBe(204);
  await until(async () => (await statuses()).every((status) => status === 401), 200);
  expect(performance.now() - revokedAt).toBeLessThan(5_000 + slackMs);
  expect((await client.revokeToken({ params: { id: token.id } })).status).toBe(204);
  await until(async () => (await client.listTokens()).status === 401, 200);
});

it('logs who has changed which token, and its text is in no line, no metric, no list and no cache', async () => {
  const { client, token } = await openAdmin(['read']);
  const replies = [await client.createToken({ body: { name: 'shop', scopes: ['read'] } })] as const;
  const created = await unwrap(Promise.resolve(replies[0]));
  const rotation = await client.rotateToken({ params: { id: created.id }, body: { overlapSeconds: 0 } });
  const rotated = await unwrap(Promise.resolve(rotation));
  await unwrap(client.revokeToken({ params: { id: rotated.id } }));
  for (const { headers } of [...replies, rotation]) expect(headers.get('cache-control')).toBe('no-store');
  const changes = () =>
    findLines(service, 'access token changed').filter((line) => line['by'] === String(token.id));
  await until(() => changes().length === 3);
  const [{ id }, { id: next }] = [created, rotated];
  const parts = { name: 'shop', scopes: ['read'] };
  expect(changes().sort((a, b) => (`${a['time']}` < `${b['time']}` ? -1 : 1))).toMatchObject([
    { level: 30, change: 'created', changed: { id: Number(id), ...parts } },
    { level: 30, change: 'rotated', changed: { id: Number(next), replaces: Number(id), ...parts } },
    { level: 30, change: 'revoked', changed: { id: Number(next), ...parts } },
  ]);
  const metrics = await readMetrics(service);
  const listed = JSON.stringify(await unwrap(client.listTokens()), (_, value) =>
    typeof value === 'bigint' ? Number(value) : value,
  );
  for (const { secret } of [created, rotated]) {
    expect(secret).toMatch(/^pst_\w{49}$/);
    for (const text of [service.logLines.join(''), metrics, listed])
      expect(text).not.toContain(secret.slice('pst_'.length, 'pst_'.length + 12));
  }
});

it('shows the last use of a token, and what it is limited to, but not its hash', async () => {
  const { client, text } = await openAdmin(['read'], { ratePerMinute: 5_000 });
  const { tokens } = await unwrap(client.listTokens());
  expect(tokens.at(-1)).toEqual({
    id: expect.any(BigInt),
    name: 'admin',
    scopes: ['read', 'admin'],
    createdAt: expect.any(String),
    ratePerMinute: 5_000,
  });
  // Stored after 10 seconds at most.
  await until(async () => {
    const listed = await unwrap(client.listTokens());
    return listed.tokens.some(({ name, lastUsedAt }) => name === 'admin' && lastUsedAt !== undefined);
  }, 500);
  expect(text).toMatch(/^pst_/);
});

it('a create that gets no reply is not sent again', async () => {
  const { text } = await openAdmin(['read']);
  let attempts = 0;
  const client = createClient({
    baseUrl: service.baseUrl,
    token: text,
    retries: 3,
    fetch: async (url, init) => {
      attempts++;
      await fetch(url, init);
      throw new TypeError('The connection broke');
    },
  });
  await expect(client.createToken({ body: { name: 'once', scopes: ['read'] } })).rejects.toThrow();
  expect(attempts).toBe(1);
  expect((await service.accessTokens.listLatest()).filter(({ name }) => name === 'once')).toHaveLength(1);
});

it('no more are created or rotated once 1,000 are valid, however many ask at once, and all are listed', async () => {
  const { client, token } = await openAdmin(['read']);
  const rotated = await create(client, { scopes: ['read'] });
  const validOnes = async () =>
    (await unwrap(client.listTokens())).tokens.filter(
      ({ expiresAt = inMinutes(1), revokedAt }) =>
        revokedAt === undefined && Date.parse(expiresAt) > Date.now(),
    );
  for (let count = (await validOnes()).length; count < MAX_TOKENS - 5; count++)
    await service.accessTokens.issue({ name: 'many', scopes: ['read'], ratePerMinute: 1 });
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      index % 2 === 0
        ? client.createToken({ body: { name: 'raced', scopes: ['read'], ratePerMinute: 1 } })
        : client.rotateToken({ params: { id: rotated.id }, body: { overlapSeconds: 60 } }),
    ),
  );
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(replies.filter(({ status }) => status === 400)).toHaveLength(35);
  expect(await validOnes()).toHaveLength(MAX_TOKENS);
  const tooMany = expect.objectContaining({ error: errors.invalid_token_request.error });
  await expect(create(client, { scopes: ['read'] })).rejects.toEqual(tooMany);
  const id = (await unwrap(client.listTokens())).tokens.find(({ name }) => name === 'many')?.id ?? 0n;
  const body = { overlapSeconds: 60 };
  await expect(unwrap(client.rotateToken({ params: { id }, body }))).rejects.toEqual(tooMany);
  await unwrap(client.revokeToken({ params: { id } }));
  expect((await create(client, { scopes: ['read'] })).id).toBeGreaterThan(token.id);
  // The command line has no such limit.
  await service.accessTokens.issue({ name: 'by the operator' });
  expect(await validOnes()).toHaveLength(MAX_TOKENS + 1);
});
