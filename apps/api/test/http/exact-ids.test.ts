import { createClient } from '@plant-store/client';
import { INT64_MAX, INT64_MIN } from '@plant-store/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readPlants } from '../support/read-plants.js';
import { startTestService } from '../support/start-test-service.js';

const idsPerRun = 500;
const runs = 2;

/** Ids as callers may pass them: any int64, as a `number` if it is a safe integer. */
const ids = fc
  .uniqueArray(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), { minLength: idsPerRun, maxLength: idsPerRun })
  .map((bigints) => bigints.map((id) => (Number.isSafeInteger(Number(id)) ? Number(id) : id)));

it('keeps a thousand ids exact: client, HTTP, database, and back', async () => {
  const service = await startTestService();
  const client = createClient({ baseUrl: service.baseUrl, token: service.token });
  const sent = new Set<string>();

  await fc.assert(
    fc.asyncProperty(ids, async (batch) => {
      const remaining = batch.values();
      const sendRemaining = async () => {
        for (const id of remaining) {
          const { status } = await client.createPlant({ body: { id, name: `plant ${id}` } });
          if (status !== 200) return false;
          sent.add(String(id));
        }
        return true;
      };
      const senders = await Promise.all(Array.from({ length: 32 }, sendRemaining));
      return senders.every((succeeded) => succeeded);
    }),
    { numRuns: runs },
  );

  const stored = await readPlants(service);
  expect(sent.size).toBeGreaterThanOrEqual(900);
  expect(new Set(stored.map(({ id }) => id))).toEqual(sent);
  expect(stored.filter(({ id, name }) => name !== `plant ${id}`)).toEqual([]);
  await service.stop();
});
