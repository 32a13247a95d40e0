import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createCitusSchema } from '../support/postgresql/citus-cluster.js';
import { raceInstances } from '../support/process/race-instances.js';

const count = Number(process.env['CITUS_RACED_IDS'] ?? 2_000);

it('stores one of two plants that two instances get with the same id, and answers id_taken for the other', async () => {
  const { call, query, migrate } = await createCitusSchema();
  expect(await migrate('--distribute', '4')).toMatchObject({ exitCode: 0 });
  // Random, so that they are spread over all shards.
  const ids = [...new Set(Array.from({ length: count }, () => randomBytes(8).readBigInt64LE()))];
  const outcomes = await raceInstances(call, ids, (instance) => `of instance ${instance}`);
  const rows = await query<{ id: string; name: string }>('SELECT id, name FROM plants');
  const names = new Map(rows.map(({ id, name }) => [BigInt(id), name]));
  expect(names.size).toBe(ids.length);
  for (const [id, ofId] of outcomes) {
    expect(ofId.toSorted()).toEqual(['stored', 'taken']);
    expect(names.get(id)).toBe(`of instance ${ofId.indexOf('stored')}`);
  }
  // Otherwise there was no race.
  for (const instance of [0, 1]) expect([...names.values()]).toContain(`of instance ${instance}`);
});
