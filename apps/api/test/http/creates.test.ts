import { createClient } from '@plant-store/client';
import { INT64_MAX, INT64_MIN } from '@plant-store/contract';
import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { composePlantRequest, postPlant } from '../support/post-plant.js';
import { readLog } from '../support/read-log.js';
import { readPlants } from '../support/read-plants.js';
import { openConnection } from '../support/send-raw.js';
import { startTestService, useTestService } from '../support/start-test-service.js';

const service = useTestService();

/** Reads the stored plants that have one of these ids, in the order of these. */
async function rowsOf(ids: readonly (number | bigint)[]) {
  const rows = new Map((await readPlants(service)).map((row) => [row.id, row]));
  return ids.flatMap((id) => rows.get(String(id)) ?? []);
}

const numbers = (count: number, first: number) => Array.from({ length: count }, (_, at) => first + at);

/** Texts that a program on the way could change: normalize, trim, decode, or take for something else. */
const oddTexts = [
  ['  ', '\r\n\tMonstera\t', '\u00a0\u3000Monstera\u2003', '\u0001\u001f\u007f\u0085', '\u2028\u2029'],
  ['\\u0000 \\n %00 &#0;', '"\\"\\\\"\'`', "'); DROP TABLE plants; --", '007', '9223372036854775808', 'null'],
  ['["a",1]', '{"$.id":1}', '__proto__', 'caf\u00e9', 'cafe\u0301', '\u1112\u1161\u11ab', '\ufb01\u212b'],
  [
    '\ufeffa',
    'a\ufeffb',
    '\ufffd',
    '\ufffe\uffff\u{10ffff}',
    '\ue000\u{f0000}',
    '\u202eתומר',
    'ẞßİı',
    '👩🏽‍🌾🏳️‍🌈',
  ],
].flat();
const anyText = fc.string({ unit: 'binary' }).map((any) => any.replaceAll('\0', ''));
const text = fc.oneof(fc.constantFrom(...oddTexts), anyText);

it('keep ids and texts exact: client, HTTP, database, and back', async () => {
  // Long enough for a slow machine.
  const client = createClient({ ...service, timeoutMs: 240_000, attemptTimeoutMs: 240_000 });
  // Small ones are those of other tests.
  const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX }).filter((id) => id < 0n || id > 10_000n);
  const [ids = []] = fc.sample(fc.uniqueArray(int64, { minLength: 300, maxLength: 300 }), 1);
  // As callers may pass them: as a `number` if it is a safe integer.
  const passed = (id: bigint) => (Number.isSafeInteger(Number(id)) ? Number(id) : id);
  const texts = [...oddTexts.map((odd) => ({ name: odd, tag: odd })), { name: '🪴'.repeat(40_000), tag: '' }];
  texts.push(...fc.sample(fc.record({ name: text, tag: text }), ids.length - texts.length));
  const plants = ids.map((id, at) => ({ id, name: '', tag: '', ...texts[at] }));
  const replies = await Promise.all(
    plants.map((plant) => client.createPlant({ body: { ...plant, id: passed(plant.id) } })),
  );
  expect(replies.map(({ status, body }) => [status, body])).toEqual(
    plants.map(({ id: _, ...body }) => [200, body]),
  );
  expect(await rowsOf(ids)).toEqual(plants.map((plant) => ({ ...plant, id: String(plant.id) })));
});

it('are replayed for another token, too', async () => {
  const { secret: token } = await service.accessTokens.issue({ name: 'another' });
  await postPlant(service, { id: 20, name: 'n' });
  const replayed = await postPlant({ ...service, token }, { id: 20, name: 'n' });
  expect([replayed.status, replayed.headers['idempotent-replayed']]).toEqual([200, 'true']);
});

it('all succeed, and one is stored, when 50 are concurrent for the same plant', async () => {
  const plant = { id: 100, name: 'Monstera', tag: 'houseplant' };
  const replies = await Promise.all(numbers(50, 0).map(() => postPlant(service, plant)));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(50);
  expect(replies.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
  expect(await rowsOf([100])).toEqual([{ ...plant, id: '100' }]);
});

it('succeed once, and that one is stored, when 50 are concurrent for different plants with one id', async () => {
  const create = (at: number) => postPlant(service, { id: 101, name: `plant ${at}` });
  const replies = await Promise.all(numbers(50, 0).map(create));
  const winners = replies.filter(({ status }) => status === 200);
  expect(winners).toHaveLength(1);
  for (const reply of replies.filter(({ status }) => status !== 200))
    expectError(reply, 'id_taken', 'Plant 101 already exists with different values.');
  expect(await rowsOf([101])).toEqual([{ id: '101', name: winners[0]?.body.name, tag: null }]);
});

it('are all stored and answered in order when they are pipelined, wherever the network splits their bodies', async () => {
  const connection = await openConnection(service.baseUrl);
  const plants = numbers(200, 1_000).map((id) => ({ id, name: `${id} ${'leaf'.repeat(500)}` }));
  // Node.js reads 64 KiB at a time, which usually ends within a body.
  connection.write(Buffer.concat(plants.map((plant) => composePlantRequest(service, JSON.stringify(plant)))));
  for (const { name } of plants)
    expect(await connection.readReply()).toMatchObject({ status: 200, body: { name } });
  connection.destroy();
  const stored = await rowsOf(plants.map(({ id }) => id));
  expect(stored).toEqual(plants.map(({ id, name }) => ({ id: String(id), name, tag: null })));
});

it('of a batch are stored while the queue has room, and the rest can be retried', async () => {
  const narrow = await startTestService({ QUEUE_MAX_PLANTS: '10' });
  const { baseUrl, token } = narrow;
  const plants = numbers(200, 0).map((id) => ({ id, name: 'x' }));
  const reply = await createClient({ baseUrl, token, retries: 0 }).createPlants({ body: { plants } });
  const results = reply.status === 200 ? reply.body.results : [];
  expect(results).toHaveLength(200);
  const rejected = results.filter(({ status }) => status !== 200);
  for (const result of rejected) expect(result).toMatchObject({ status: 503, error: 50300 });
  // Each worker has its share of the queue. A caller gets half of that at a time, and again once it is being stored.
  expect(200 - rejected.length).toBeGreaterThanOrEqual(2 * Math.floor(10 / inject('workers') / 2));
});

it('are never acknowledged when the database silently ignores them, unlike others of their commit', async () => {
  await service.database.ignoreInserts('Ghost');
  for (const _ of [1, 2]) {
    const reply = await postPlant(service, { id: 1, name: 'Ghost' });
    expectError(reply, 'internal_error', /^An unexpected error occurred/);
    const [line] = await readLog(service, reply.headers['x-request-id']);
    expect(line).toMatchObject({ level: 50, err: { message: expect.stringMatching(/stored/) } });
  }
  const ids = numbers(20, 500);
  const create = (id: number) => postPlant(service, { id, name: id % 5 === 0 ? 'Ghost' : 'Fern' });
  const replies = await Promise.all(ids.map(create));
  const acknowledged = ids.filter((_, index) => replies[index]?.status === 200);
  expect(acknowledged).toEqual(ids.filter((id) => id % 5 !== 0));
  expect((await rowsOf([1, ...ids])).map(({ id }) => Number(id))).toEqual(acknowledged);
});
