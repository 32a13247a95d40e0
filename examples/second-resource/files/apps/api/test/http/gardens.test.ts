import { createClient, errors, isRejectedError, type NewGardenInput, unwrap } from '@plant-store/client';
import { INT64_MAX, INT64_MIN } from '@plant-store/contract';
import { defaultScopes } from '@plant-store/contract/access-token';
import { scopesOf } from '@plant-store/contract/resource';
import { resources } from '@plant-store/contract/resources';
import { afterAll, expect, it } from 'vitest';
import { startIdentityProvider } from '../support/identity/start-identity-provider.js';
import { useTestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

const provider = await startIdentityProvider();
afterAll(provider.stop);
const service = useTestService(provider.environment);
const open = (token = service.token) => createClient({ baseUrl: service.baseUrl, token, retries: 0 });

const full = {
  name: '🌱 "Kew"',
  area: INT64_MIN,
  isOpen: true,
  plantedAt: '1759-12-31T23:59:59.999Z',
  plantIds: [INT64_MAX, INT64_MIN, 7n, 7n, 0n],
};
const bare = { name: '', isOpen: false, plantIds: [] };
const create = (id: number | bigint, fields: Omit<NewGardenInput, 'id' | 'idText'> = full) =>
  open().createGarden({ body: { id, ...fields } });
const get = async (id: bigint) => unwrap(await open().getGarden({ params: { id } }));
const rejected = (status: number, error: number, message: string) => ({ status, body: { error, message } });

it('comes back exactly as it was created, with the extremes of every int64', async () => {
  expect(await create(INT64_MIN)).toMatchObject({ status: 200, body: full, replayed: false });
  const known = { addedAt: expect.any(String), addedBy: expect.any(String) };
  const stored = { id: INT64_MIN, idText: String(INT64_MIN), ...full, ...known };
  expect(await get(INT64_MIN)).toEqual(stored);
  const text = await fetch(`${service.baseUrl}/gardens/${INT64_MIN}`, {
    headers: { Authorization: `Bearer ${service.token}` },
  }).then((reply) => reply.text());
  expect(text).toContain(
    `"area":${INT64_MIN},"isOpen":true,"plantedAt":"1759-12-31T23:59:59.999Z","plantIds":[${INT64_MAX},${INT64_MIN},7,7,0]`,
  );
  await create(INT64_MAX, bare);
  expect(await get(INT64_MAX)).toEqual({
    id: INT64_MAX,
    idText: String(INT64_MAX),
    ...known,
    ...bare,
  });
});

it('is stored once, however often its create is retried, and keeps its id', async () => {
  await create(1n);
  expect(await create(1n)).toMatchObject({ status: 200, body: full, replayed: true });
  const later = { ...full, plantedAt: '1760-01-01T00:59:59.999+01:00' };
  expect(await create(1n, later)).toMatchObject({ status: 200, replayed: true });
  const taken = rejected(400, 40003, 'Garden 1 already exists with different values. Choose another ID.');
  const others = [
    { ...full, area: INT64_MIN + 1n },
    { ...full, isOpen: false },
    { ...full, plantedAt: '1759-12-31T23:59:59.998Z' },
    { ...full, plantIds: [INT64_MAX, INT64_MIN, 7n, 0n, 7n] },
    { ...full, plantIds: [] },
    { name: full.name, isOpen: true, plantIds: full.plantIds },
  ];
  for (const other of others) expect(await create(1n, other)).toMatchObject(taken);
});

it('is another record than the plant with its id', async () => {
  expect(await open().createPlant({ body: { id: 2, name: 'Fern' } })).toMatchObject({ replayed: false });
  expect(await create(2n, bare)).toMatchObject({ status: 200, replayed: false });
  await open().deleteGarden({ params: { id: 2 } });
  expect(await open().getPlant({ params: { id: 2 } })).toMatchObject({ status: 200, body: { name: 'Fern' } });
});

it('keeps what an update replaces, until it is deleted', async () => {
  const params = { id: 33n };
  await create(33n);
  const renamed = { ...full, name: 'Kew' };
  await open().updateGarden({ params, headers: { 'if-match': '*' }, body: renamed });
  const { states } = unwrap(await open().getGardenHistory({ params }));
  expect(states).toMatchObject([renamed, { ...full, until: states[0]?.from }]);
  await open().deleteGarden({ params });
  expect(await open().getGardenHistory({ params })).toMatchObject({ status: 404 });
});

it('says what is wrong with a garden', async () => {
  const body = { id: 1.5, area: '1', isOpen: 'yes', plantedAt: 'today', plantIds: [1, 2.5] } as never;
  const { status, body: error } = await open().createGarden({ body });
  expect([status, error]).toEqual([400, { error: 40012, message: expect.any(String) }]);
  const { message } = error as { message: string };
  expect(message).toMatch(/^The garden is not valid: /);
  for (const field of ['id', 'name', 'area', 'isOpen', 'plantedAt', 'plantIds'])
    expect(message).toContain(field);
  const params = { id: 999 };
  const notFound = rejected(404, 40403, 'There is no garden 999.');
  expect(await open().getGarden({ params })).toMatchObject(notFound);
});

it('is updated and deleted under a condition, and leaves a tombstone', async () => {
  const { etag } = await create(3n);
  const params = { id: 3 };
  const update = (tag: string | null) =>
    open().updateGarden({ params, headers: { 'if-match': tag ?? '' }, body: bare });
  const updated = await update(etag);
  expect(updated).toMatchObject({ status: 200, body: { id: 3n, ...bare } });
  expect(updated.body).not.toHaveProperty('area');
  const changed = 'Garden 3 has changed since you read it. Get it again, then decide whether to retry.';
  const isAnother = { 'if-match': etag ?? '' };
  const other = open().updateGarden({ params, headers: isAnother, body: full });
  expect(await other).toMatchObject(rejected(412, 41200, changed));
  const read = await open().getGarden({ params });
  expect(read.etag).toBe(updated.etag);
  const unchanged = open().getGarden({ params, headers: { 'if-none-match': read.etag ?? '' } });
  expect(await unchanged).toMatchObject({ status: 304 });
  expect(await create(3n)).toMatchObject({ status: 200, body: full, replayed: true });
  expect(await open().deleteGarden({ params, ifMatch: read })).toMatchObject({ status: 204 });
  expect(await open().getGarden({ params })).toMatchObject({ status: 404 });
  const retired = /^Garden 3 was deleted\./;
  expect(await create(3n)).toMatchObject(rejected(400, 40007, expect.stringMatching(retired)));
  const reused = open().updateGarden({ params, headers: { 'if-none-match': '*' }, body: full });
  expect(await reused).toMatchObject({ status: 200, body: { id: 3n, ...full } });
});

it('is listed by each filter, and page by page', async () => {
  const area = INT64_MAX - 1n;
  const ids = [101n, 102n, 103n, 104n];
  for (const id of ids) await create(id, { ...full, name: `Orchard ${id}`, area, isOpen: id > 102n });
  const list = async (query: Parameters<ReturnType<typeof open>['listGardens']>[0]) => {
    const { gardens, next } = unwrap(await open().listGardens(query));
    return [gardens.map(({ id }) => id), next] as const;
  };
  expect((await list({ query: { area } }))[0]).toEqual(ids);
  expect((await list({ query: { area, isOpen: false } }))[0]).toEqual([101n, 102n]);
  expect((await list({ query: { q: 'ORCHARD 10', isOpen: true } }))[0]).toEqual([103n, 104n]);
  const addedFrom = (await get(101n)).addedAt ?? '';
  expect((await list({ query: { area, addedFrom, order: 'newest' } }))[0].toSorted()).toEqual(ids);
  expect((await list({ query: { addedBefore: '2000-01-01T00:00:00Z' } }))[0]).toEqual([]);
  const [first, next] = await list({ query: { area, limit: 3 } });
  expect(first).toEqual([101n, 102n, 103n]);
  expect((await list({ query: { area, limit: 3, after: next ?? '' } }))[0]).toEqual([104n]);
  expect(await open().listGardens({ query: { area: 'x' as never } })).toMatchObject({ status: 400 });
});

it('has a feed of its own, which waits for the next change', async () => {
  const pageAfter = async (after?: string, wait?: number) =>
    unwrap(await open().listGardenChanges({ query: { ...(after && { after }), ...(wait && { wait }) } }));
  const { next } = await pageAfter();
  const waiting = pageAfter(next, 25);
  await open().createPlant({ body: { id: 201, name: 'Not in this feed' } });
  await create(201n);
  const page = await waiting;
  const at = expect.any(String);
  expect(page.changes).toEqual([
    {
      kind: 'created',
      id: 201n,
      idText: '201',
      at,
      garden: { id: 201n, idText: '201', ...full, addedAt: at, addedBy: at },
    },
  ]);
  await open().deleteGarden({ params: { id: 201 } });
  expect((await pageAfter(page.next)).changes).toEqual([{ kind: 'deleted', id: 201n, idText: '201', at }]);
});

it('needs scopes of its own, in access tokens and JSON Web Tokens', async () => {
  const read = { params: { id: INT64_MIN } };
  await create(INT64_MIN);
  const old = await service.accessTokens.issue({ name: 'old', scopes: defaultScopes });
  const ofGardens = await service.accessTokens.issue({ name: 'new', scopes: scopesOf(resources.garden) });
  const jwtOf = (prefix: string) =>
    provider.sign({
      scope: ['create', 'read', 'update', 'delete'].map((each) => `${prefix}:${each}`).join(' '),
    });
  for (const token of [old.secret, await jwtOf('plants')]) {
    expect(await open(token).getPlant(read)).toMatchObject({ status: 404 });
    const message = expect.stringContaining('gardens:read');
    expect(await open(token).getGarden(read)).toMatchObject(rejected(403, 40300, message));
    expect(await open(token).deleteGarden(read)).toMatchObject({ status: 403 });
    const headers = { 'if-match': '*' };
    expect(await open(token).updateGarden({ ...read, headers, body: bare })).toMatchObject({ status: 403 });
    expect(await open(token).createGarden({ body: { id: 301, ...bare } })).toMatchObject({ status: 403 });
    expect(await open(token).listGardens()).toMatchObject({ status: 403 });
    expect(await open(token).listGardenChanges()).toMatchObject({ status: 403 });
  }
  for (const token of [ofGardens.secret, await jwtOf('gardens')]) {
    expect(await open(token).getGarden(read)).toMatchObject({ status: 200 });
    expect(await open(token).createGarden({ body: { id: 302, ...bare } })).toMatchObject({ status: 200 });
    expect(await open(token).getPlant(read)).toMatchObject({ status: 403 });
  }
});

it('is logged as what it is', async () => {
  await create(401n);
  await until(() => service.logLines.some((line) => line.includes('/gardens')));
  expect(service.logLines.filter((line) => line.includes('"plantId":"401"'))).toEqual([]);
});

it('has errors of its own, by which a client recognizes them', async () => {
  const caught = await open()
    .getGarden({ params: { id: 888 } })
    .then(unwrap)
    .catch((error: unknown) => error);
  expect(isRejectedError(caught, errors.garden_not_found.error)).toBe(true);
  expect(isRejectedError(caught, errors.plant_not_found.error)).toBe(false);
});
