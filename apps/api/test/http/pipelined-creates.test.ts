import { afterAll, beforeAll, expect, it } from 'vitest';
import { composePlantRequest, postPlant } from '../support/post-plant.js';
import { readPlants } from '../support/read-plants.js';
import { openConnection } from '../support/send-raw.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

it('are all stored and answered in order, wherever the network splits their bodies', async () => {
  // From here on the token is cached.
  expect((await postPlant(service, { id: 0, name: 'Fern' })).status).toBe(200);
  const connection = await openConnection(service.baseUrl);
  const plants = Array.from({ length: 1_000 }, (_, at) => ({
    id: at + 1,
    name: `${at + 1} ${'leaf'.repeat(500)}`,
  }));
  // Node.js reads 64 KiB at a time, which usually ends within a body.
  connection.write(Buffer.concat(plants.map((plant) => composePlantRequest(service, JSON.stringify(plant)))));
  const replies = [];
  for (const _ of plants) replies.push(await connection.readReply());
  connection.destroy();
  expect(replies.map(({ status, body }) => ({ status, body }))).toEqual(
    plants.map(({ name }) => ({ status: 200, body: { name } })),
  );
  const stored = (await readPlants(service)).map(({ id, name }) => ({ id: Number(id), name }));
  expect(stored).toEqual([{ id: 0, name: 'Fern' }, ...plants]);
});
