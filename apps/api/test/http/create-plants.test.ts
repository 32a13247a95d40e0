import { createClient, type NewPlantInput } from '@plant-store/client';
import { createFakePlantStore, type FakePlantStore } from '@plant-store/client/testing';
import { INT64_MAX, INT64_MIN } from '@plant-store/contract';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
let fake: FakePlantStore;
beforeAll(async () => {
  service = await startTestService();
  fake = createFakePlantStore({ baseUrl: service.baseUrl, token: service.token });
});
afterAll(() => service.stop());

const stored = { status: 200, replayed: false };
const replayed = { status: 200, replayed: true };

describe.each(['service', 'fake'] as const)('a batch of plants for the %s', (store) => {
  const send: FakePlantStore['fetch'] = (...given) => (store === 'fake' ? fake.fetch : fetch)(...given);
  const client = () => createClient({ baseUrl: service.baseUrl, token: service.token, fetch: send });
  const create = (...plants: NewPlantInput[]) => client().createPlants({ body: { plants } });
  const postRaw = (body: string, headers: Record<string, string> = {}) =>
    send(`${service.baseUrl}/plants/batch`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json', ...headers },
      body,
    });

  it('stores each plant, and replays it', async () => {
    const plants = [
      { id: INT64_MAX, name: 'last', tag: '' },
      { id: INT64_MIN, name: 'first' },
      { id: 9007199254740993n, name: '🌱' },
    ];
    expect(await create(...plants)).toMatchObject({
      status: 200,
      body: { results: [stored, stored, stored] },
    });
    expect(await create(...plants)).toMatchObject({
      status: 200,
      replayed: false,
      body: { results: [replayed, replayed, replayed] },
    });
    for (const plant of plants) {
      expect(await client().getPlant({ params: { id: plant.id } })).toMatchObject({
        status: 200,
        body: plant,
      });
    }
  });

  it('has a result for each plant, as a request of its own would have: none stops the others', async () => {
    await create({ id: 1, name: 'Fern' });
    const body = `{"plants":[
      {"id":2,"name":"a"}, {"id":1,"name":"Ivy"}, {"id":1,"name":"Fern"}, {"name":"no id"}, 7, null, {"id":3,"name":"a\\u0000"},
      {"id":9223372036854775808,"name":"b"}, {"id":2,"name":"b"}, {"id":2,"name":"a"}, {"id":4,"name":"c","tag":5}, {"id":5,"name":"d"}
    ]}`;
    const response = await postRaw(body);
    expect(response.status).toBe(200);
    const invalid = (issue: string) => ({
      status: 400,
      error: 40002,
      message: `The plant is not valid: ${issue}.`,
    });
    const taken = (id: number) => ({
      status: 400,
      error: 40003,
      message: `The id ${id} belongs to another plant. Choose another id.`,
    });
    const notInt64 = 'id must be an integer from -9223372036854775808 to 9223372036854775807';
    expect(await response.json()).toEqual({
      results: [
        ...[stored, taken(1), replayed, invalid('id is required')],
        invalid('the body must be a JSON object'),
        invalid('the body must be a JSON object'),
        invalid('name must not contain the character NUL (U+0000)'),
        ...[invalid(notInt64), taken(2), replayed, invalid('tag must be a string'), stored],
      ],
    });
  });

  it('stores as many as 1,000 plants, and not one of more', async () => {
    const plants = Array.from({ length: 1_001 }, (_, index) => ({ id: 10_000 + index, name: 'x' }));
    expect(await create(...plants)).toMatchObject({
      status: 400,
      body: { error: 40006, message: 'The batch has 1001 plants. Send at most 1000 in one request.' },
    });
    expect(await client().getPlant({ params: { id: 10_000 } })).toMatchObject({ status: 404 });
    const reply = await create(...plants.slice(0, 1_000));
    expect(reply).toMatchObject({ status: 200, body: { results: Array(1_000).fill(stored) } });
  });

  it.each([
    ['{', 40001, /^The body is not valid JSON: /],
    ['[]', 40002, 'The plant is not valid: the body must be a JSON object.'],
    ['{}', 40002, 'The batch is not valid: plants is required.'],
    ['{"plants":{}}', 40002, 'The batch is not valid: plants must be a list of plants.'],
    ['{"plants":[]}', 40002, 'The batch is not valid: plants must have at least one plant.'],
    [`{"plants":["${'x'.repeat(2 ** 20)}"]}`, 40005, /^The body is larger than /],
  ])('is rejected as a whole: %.30s', async (body, error, message) => {
    const response = await postRaw(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });

  it('is rejected as a whole without a token, and for another content type', async () => {
    expect((await postRaw('{}', { Authorization: '' })).status).toBe(401);
    expect((await postRaw('{}', { 'Content-Type': 'text/plain' })).status).toBe(400);
  });
});

// Each worker has its share of the queue.
it.skipIf(inject('workers') > 1)(
  'is stored while the queue has room, and the rest can be retried',
  async () => {
    const narrow = await startTestService({ QUEUE_MAX_PLANTS: '10' });
    onTestFinished(async () => void (await narrow.stop()));
    const { baseUrl, token } = narrow;
    const plants = Array.from({ length: 200 }, (_, id) => ({ id, name: 'x' }));
    const reply = await createClient({ baseUrl, token, retries: 0 }).createPlants({ body: { plants } });
    const results = reply.status === 200 ? reply.body.results : [];
    expect(results).toHaveLength(200);
    for (const result of results) {
      if (result.status !== 200) expect(result).toMatchObject({ status: 503, error: 50300 });
    }
    expect(results.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(10);
  },
);
