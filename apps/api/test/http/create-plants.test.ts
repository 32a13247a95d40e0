import { createClient } from '@plant-store/client';
import { expect, inject, it, onTestFinished } from 'vitest';
import { startTestService } from '../support/start-test-service.js';

it('stores a batch while the queue has room, and the rest can be retried', async () => {
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
  expect(results.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(
    // Each worker has its share of the queue.
    10 / Math.max(inject('workers'), 1),
  );
});
