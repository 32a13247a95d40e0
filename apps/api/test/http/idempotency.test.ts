import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { postPlant } from '../support/post-plant.js';
import { readPlants } from '../support/read-plants.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** Reads the rows with an id. */
async function rowsOf(id: string) {
  return (await readPlants(service)).filter((row) => row.id === id);
}

describe('a retry of the same plant gets the same reply, and the plant is stored once', () => {
  it.each([
    ['1', 'the same bytes', '{"id":1,"name":"n"}', '{"id":1,"name":"n"}'],
    ['2', 'with a tag', '{"id":2,"name":"n","tag":"t"}', '{"id":2,"name":"n","tag":"t"}'],
    ['3', 'with an empty tag', '{"id":3,"name":"","tag":""}', '{"id":3,"name":"","tag":""}'],
    ['4', 'members in another order', '{"id":4,"name":"n","tag":"t"}', '{"tag":"t","name":"n","id":4}'],
    ['5', 'the id in another notation', '{"id":5,"name":"n"}', '{"id":50e-1,"name":"n"}'],
    ['6', 'the name in escapes', '{"id":6,"name":"café"}', '{"id":6,"name":"caf\\u00e9"}'],
    ['7', 'with other unknown fields', '{"id":7,"name":"n","x":1}', '{"id":7,"name":"n","y":2}'],
    ['-9223372036854775808', 'the smallest id', ...twice('{"id":-9223372036854775808,"name":"n"}')],
    ['9223372036854775807', 'the largest id', ...twice('{"id":9223372036854775807,"name":"n"}')],
  ])('plant %s: %s', async (id, _, first, second) => {
    const stored = await postPlant(service, first);
    expect(stored.status).toBe(200);
    expect(stored.headers).not.toHaveProperty('idempotent-replayed');
    const rows = await rowsOf(id);
    expect(rows).toHaveLength(1);

    for (let time = 2; time <= 3; time++) {
      const replayed = await postPlant(service, second);
      expect(replayed.status).toBe(200);
      expect(replayed.headers['idempotent-replayed']).toBe('true');
      expect(replayed.text).toBe(stored.text);
      expect(await rowsOf(id)).toEqual(rows);
    }
  });

  it('even with another token', async () => {
    const { text: token } = await service.accessTokens.issue({ name: 'another' });
    await postPlant(service, { id: 20, name: 'n' });
    const replayed = await postPlant({ ...service, token }, { id: 20, name: 'n' });
    expect([replayed.status, replayed.headers['idempotent-replayed']]).toEqual([200, 'true']);
  });
});

describe('a different plant with a taken id is rejected and changes nothing', () => {
  it.each([
    ['31', 'another name', { name: 'n' }, { name: 'm' }],
    ['32', 'the name in capitals', { name: 'n' }, { name: 'N' }],
    ['33', 'a space after the name', { name: 'n' }, { name: 'n ' }],
    ['34', 'the name in another normalization form', { name: 'caf\u00e9' }, { name: 'cafe\u0301' }],
    ['35', 'another tag', { name: 'n', tag: 't' }, { name: 'n', tag: 'u' }],
    ['36', 'a tag where there was none', { name: 'n' }, { name: 'n', tag: 't' }],
    ['37', 'no tag where there was one', { name: 'n', tag: 't' }, { name: 'n' }],
    ['38', 'an empty tag where there was none', { name: 'n' }, { name: 'n', tag: '' }],
    ['39', 'no tag where there was an empty one', { name: 'n', tag: '' }, { name: 'n' }],
    ['40', 'name and tag swapped', { name: 'a', tag: 'b' }, { name: 'b', tag: 'a' }],
    ['9223372036854775806', 'an id that JavaScript would round', { name: 'n' }, { name: 'm' }],
  ])('plant %s: %s', async (id, _, first, second) => {
    const withId = (plant: object) => JSON.stringify(plant).replace('{', `{"id":${id},`);
    expect((await postPlant(service, withId(first))).status).toBe(200);
    const rows = await rowsOf(id);

    const reply = await postPlant(service, withId(second));
    expectError(reply, 'id_taken', `The id ${id} belongs to another plant.`);
    expect(reply.headers).not.toHaveProperty('idempotent-replayed');
    expect(await rowsOf(id)).toEqual(rows);
    expect((await postPlant(service, withId(first))).headers['idempotent-replayed']).toBe('true');
  });

  it('distinguishes adjacent ids that JavaScript would round to the same number', async () => {
    expect((await postPlant(service, '{"id":9007199254740992,"name":"even"}')).status).toBe(200);
    expect((await postPlant(service, '{"id":9007199254740993,"name":"odd"}')).status).toBe(200);
    expect([await rowsOf('9007199254740992'), await rowsOf('9007199254740993')]).toMatchObject([
      [{ name: 'even' }],
      [{ name: 'odd' }],
    ]);
  });
});

describe('of 50 concurrent requests', () => {
  it('for the same plant, all succeed and one stores it', async () => {
    const plant = { id: 100, name: 'Monstera', tag: 'houseplant' };
    const replies = await Promise.all(Array.from({ length: 50 }, () => postPlant(service, plant)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(50);
    expect(replies.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    expect(await rowsOf('100')).toEqual([{ ...plant, id: '100' }]);
  });

  it('for different plants with one id, one succeeds and is stored', async () => {
    const names = Array.from({ length: 50 }, (_, i) => `plant ${i}`);
    const replies = await Promise.all(names.map((name) => postPlant(service, { id: 101, name })));
    const winners = replies.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    for (const reply of replies.filter(({ status }) => status !== 200)) {
      expectError(reply, 'id_taken', 'The id 101 belongs to another plant.');
    }
    expect(await rowsOf('101')).toEqual([{ id: '101', name: winners[0]?.body.name, tag: null }]);
  });
});

function twice(body: string): [string, string] {
  return [body, body];
}
