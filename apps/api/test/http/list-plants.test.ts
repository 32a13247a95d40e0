import { createClient, type PlantQuery, type StoredPlant } from '@plant-store/client';
import { createFakePlantStore, type FakePlantStore } from '@plant-store/client/testing';
import { INT64_MAX, INT64_MIN, QUERY_MAX_LENGTHS } from '@plant-store/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
let fake: FakePlantStore;
beforeAll(async () => {
  service = await startTestService();
  fake = createFakePlantStore({ baseUrl: service.baseUrl, token: service.token });
});
afterAll(() => service.stop());

const plants = [
  { id: INT64_MIN, name: 'Monstera deliciosa', tag: 'indoor' },
  { id: -1n, name: 'Fern', tag: 'outdoor' },
  { id: 0n, name: '' },
  { id: 9007199254740993n, name: '"quotes", \\ and 🌱', tag: 'indoor' },
  { id: INT64_MAX, name: 'monstera adansonii', tag: '' },
];

describe.each(['service', 'fake'] as const)('reading plants of the %s', (store) => {
  const send: FakePlantStore['fetch'] = (...given) => (store === 'fake' ? fake.fetch : fetch)(...given);
  const openClient = () => createClient({ baseUrl: service.baseUrl, token: service.token, fetch: send });
  const getRaw = (path: string, method = 'GET') =>
    send(service.baseUrl + path, { method, headers: { Authorization: `Bearer ${service.token}` } });

  async function listAll(query: PlantQuery = {}): Promise<StoredPlant[]> {
    const found: StoredPlant[] = [];
    let after: string | undefined;
    do {
      const reply = await openClient().listPlants({ query: { ...query, after } });
      if (reply.status !== 200) throw new Error(`${reply.status}: ${reply.body.message}`);
      found.push(...reply.body.plants);
      after = reply.body.next;
    } while (after !== undefined);
    return found;
  }

  beforeAll(async () => {
    for (const plant of plants) {
      expect(await openClient().createPlant({ body: plant })).toMatchObject({ status: 200 });
      // The next one is newer.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  });

  it.each(plants)(
    'returns the plant $id, with its id exact and the time at which it was stored',
    async (plant) => {
      const reply = await openClient().getPlant({ params: { id: plant.id } });
      expect(reply).toMatchObject({
        status: 200,
        body: { ...plant, addedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
      });
      if (reply.status !== 200) return;
      expect(reply.body).toStrictEqual({ ...plant, idText: `${plant.id}`, addedAt: reply.body.addedAt });
      expect(Math.abs(Date.parse(reply.body.addedAt ?? '') - Date.now())).toBeLessThan(60_000);
    },
  );

  it('writes the digits of an id', async () => {
    const text = await (await getRaw(`/plants/${INT64_MAX}`)).text();
    expect(text).toMatch(
      /^\{"id":9223372036854775807,"idText":"9223372036854775807","name":"monstera adansonii","tag":"","addedAt":"[^"]+"\}$/,
    );
    expect(await (await getRaw('/plants?limit=1')).text()).toMatch(
      /^\{"plants":\[\{"id":-9223372036854775808,/,
    );
  });

  it('has no plant with another id', async () => {
    expect(await openClient().getPlant({ params: { id: 7 } })).toMatchObject({
      status: 404,
      body: { error: 40401, message: 'No plant has the id 7.' },
    });
  });

  it.each([
    'x',
    '01',
    '-0',
    '+1',
    '1.0',
    '1e1',
    '0x1',
    '9223372036854775808',
    '%20',
    '1%00',
    '%30',
    '%2D1',
    '9%30',
    'batch',
  ])('rejects an id that is no int64 in its shortest notation: %s', async (id) => {
    const response = await getRaw(`/plants/${id}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: 40000,
      message:
        'The request is not valid: the path parameter id must be an integer from -9223372036854775808 to 9223372036854775807.',
    });
  });

  it('lists all plants by id, in pages of any size', async () => {
    for (const limit of [1, 2, 3, 5, 1_000, undefined]) {
      expect(await listAll({ limit })).toMatchObject(plants);
    }
  });

  it('lists the newest first', async () => {
    for (const limit of [1, 2, 5]) {
      expect(await listAll({ order: 'newest', limit })).toMatchObject(plants.toReversed());
    }
  });

  it('filters by tag and by a part of the name', async () => {
    const idsOf = async (query: PlantQuery) => (await listAll(query)).map(({ id }) => id);
    expect(await idsOf({ tag: 'indoor' })).toEqual([INT64_MIN, 9007199254740993n]);
    expect(await idsOf({ tag: '' })).toEqual([INT64_MAX]);
    expect(await idsOf({ q: 'MONSTERA' })).toEqual([INT64_MIN, INT64_MAX]);
    expect(await idsOf({ q: 'monstera', tag: 'indoor', order: 'newest' })).toEqual([INT64_MIN]);
    expect(await idsOf({ q: '🌱' })).toEqual([9007199254740993n]);
    expect(await idsOf({ q: 'nothing' })).toEqual([]);
  });

  it('has no next page after the last plant', async () => {
    const reply = await openClient().listPlants({ query: { limit: 5 } });
    expect(reply).toMatchObject({ status: 200, body: { plants } });
    expect(reply.body).not.toHaveProperty('next');
  });

  it('continues a page with another limit', async () => {
    const first = await openClient().listPlants({ query: { limit: 1, tag: 'indoor' } });
    const after = first.status === 200 ? first.body.next : undefined;
    expect(after).toMatch(/^[\w.-]+$/);
    const second = await openClient().listPlants({ query: { limit: 100, tag: 'indoor', after } });
    expect(second).toMatchObject({ status: 200, body: { plants: [{ id: 9007199254740993n }] } });
  });

  it('rejects the next of another query, of a later version, and garbage', async () => {
    const first = await openClient().listPlants({ query: { limit: 1 } });
    const next = first.status === 200 ? (first.body.next ?? '') : '';
    const message =
      'The query parameter after is not of this list: pass the next of a page unchanged, with the same order, tag and q, or begin again without it.';
    const rejected = { status: 400, body: { error: 40000, message } };
    const list = (query: PlantQuery) => openClient().listPlants({ query });
    expect(await list({ after: next, tag: 'indoor' })).toMatchObject(rejected);
    expect(await list({ after: next, q: '' })).toMatchObject(rejected);
    expect(await list({ after: next, order: 'newest' })).toMatchObject(rejected);
    expect(await list({ after: next.replace(/^1/, '2') })).toMatchObject(rejected);
    expect(await list({ after: `${next}0000000000000000000` })).toMatchObject(rejected);
    for (const after of ['', 'x', '1', '1..', '\u0000', `${next} `]) {
      expect(await list({ after })).toMatchObject(rejected);
    }
  });

  it.each([
    ['limit=0', 'the query parameter limit must be an integer from 1 to 1000'],
    ['limit=1001', 'the query parameter limit must be an integer from 1 to 1000'],
    ['limit=1.5', 'the query parameter limit must be an integer from 1 to 1000'],
    ['limit=', 'the query parameter limit must be an integer from 1 to 1000'],
    ...['limit', 'after', 'order', 'tag', 'q'].flatMap((name) => [
      [`${name}=1&${name}=1`, `the query parameter ${name} must be given once`],
      [`${name}=1&${name}=%`, `the query parameter ${name} must be given once`],
      ...['%', '%zz', '%F', '%FF', '%C0%AF', '%ED%A0%80', 'a%E0%A4'].map((value) => [
        `${name}=${value}`,
        `the query parameter ${name} must be percent-encoded UTF-8`,
      ]),
    ]),
    ...Object.entries(QUERY_MAX_LENGTHS).flatMap(([name, max]) =>
      ['a', '%F0%9F%8C%B1', '.'].map((character) => [
        `${name}=${character.repeat(max + 1)}`,
        `the query parameter ${name} must have at most ${max} characters`,
      ]),
    ),
    ['order=name', 'the query parameter order must be id or newest'],
    ['q=%00', 'the query parameter q must not contain the character NUL (U+0000)'],
  ])('rejects %s', async (query, problem) => {
    const response = await getRaw(`/plants?${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: 40000, message: `The request is not valid: ${problem}.` });
  });

  it('finds plants by the longest texts that it takes, and by the replacement character', async () => {
    const idsOf = async (query: string) => {
      const { plants } = (await (await getRaw(`/plants?${query}`)).json()) as { plants: { id: number }[] };
      return plants.map(({ id }) => id);
    };
    const [long, other] = [10, 11];
    const name = '🌱'.repeat(QUERY_MAX_LENGTHS.q);
    const tag = '🌱'.repeat(QUERY_MAX_LENGTHS.tag);
    await openClient().createPlant({ body: { id: long, name, tag } });
    await openClient().createPlant({ body: { id: other, name: '\ufffd' } });
    expect(await idsOf(`q=${encodeURIComponent(name)}&tag=${encodeURIComponent(tag)}`)).toEqual([long]);
    expect(await idsOf('q=%EF%BF%BD')).toEqual([other]);
    for (const id of [long, other]) await openClient().deletePlant({ params: { id } });
  });

  it.each(['ids=1,31', 'color=1&color=2', 'color=%FF', '%FF=1', '%', 'Q=%zz', '=1'])(
    'rejects a parameter that it does not have: %s',
    async (query) => {
      const response = await getRaw(`/plants?${query}`);
      expect([response.status, await response.json()]).toMatchObject([400, { error: 40000 }]);
    },
  );

  it('rejects a path that is not percent-encoded UTF-8', async () => {
    for (const id of ['%', '%FF', '1%zz', '%E0%A4%A']) {
      const response = await getRaw(`/plants/${id}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        error: 40000,
        message: 'The path is not valid: it must be percent-encoded UTF-8.',
      });
    }
  });

  it('deletes no plant whose id is percent-encoded', async () => {
    expect((await getRaw('/plants/%30', 'DELETE')).status).toBe(400);
    expect((await getRaw('/plants/0', 'GET')).status).toBe(200);
  });

  it.each(['/plants', '/plants/0'])('answers HEAD as GET, without the body: %s', async (path) => {
    const get = await getRaw(path);
    const head = await getRaw(path, 'HEAD');
    expect(await get.text()).not.toBe('');
    expect(await head.text()).toBe('');
    expect(head.status).toBe(get.status);
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  });

  it.each(['/plants', '/plants/0'])('asks for a token: %s', async (path) => {
    expect((await send(service.baseUrl + path, {})).status).toBe(401);
  });
});
