import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { postPlant } from '../support/post-plant.js';
import { readLog } from '../support/read-log.js';
import { readPlants } from '../support/read-plants.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.database.ignoreInserts('Ghost');
});
afterAll(() => service.stop());

it('never answers 200 for a plant that the database silently ignores', async () => {
  for (let attempt = 0; attempt < 2; attempt++) {
    const reply = await postPlant(service, { id: 1, name: 'Ghost' });
    expectError(reply, 'internal_error', /^An unexpected error occurred/);
    const [line] = await readLog(service, reply.headers['x-request-id']);
    expect(line).toMatchObject({ level: 50, err: { message: expect.stringMatching(/stored/) } });
  }
});

it('stores the other plants of its batch, and answers 200 only for those', async () => {
  const ids = Array.from({ length: 20 }, (_, index) => index + 10);
  const replies = await Promise.all(
    ids.map((id) => postPlant(service, { id, name: id % 5 === 0 ? 'Ghost' : 'Fern' })),
  );
  const acknowledged = ids.filter((_, index) => replies[index]?.status === 200).map(String);
  expect(acknowledged).toEqual(ids.filter((id) => id % 5 !== 0).map(String));
  expect((await readPlants(service)).map(({ id }) => id)).toEqual(acknowledged);
});
