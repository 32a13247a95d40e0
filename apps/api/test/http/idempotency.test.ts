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

it('replays a plant for another token, too', async () => {
  const { text: token } = await service.accessTokens.issue({ name: 'another' });
  await postPlant(service, { id: 20, name: 'n' });
  const replayed = await postPlant({ ...service, token }, { id: 20, name: 'n' });
  expect([replayed.status, replayed.headers['idempotent-replayed']]).toEqual([200, 'true']);
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
