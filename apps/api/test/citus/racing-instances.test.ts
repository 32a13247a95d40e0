import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createCitusSchema } from '../support/postgresql/citus-cluster.js';
import { raceInstances } from '../support/process/race-instances.js';

const count = Number(process.env['CITUS_RACED_IDS'] ?? 2_000);

/** Random ids, which are spread over all shards, and a schema whose plants are distributed. */
async function prepareRace() {
  const { call, query, migrate } = await createCitusSchema();
  expect(await migrate('--distribute', '4')).toMatchObject({ exitCode: 0 });
  const ids = [...new Set(Array.from({ length: count }, () => randomBytes(8).readBigInt64LE()))];
  const readNames = async () => {
    const rows = await query<{ id: string; name: string }>('SELECT id, name FROM plants');
    return new Map(rows.map(({ id, name }) => [BigInt(id), name]));
  };
  return { call, ids, readNames };
}

it('stores one of two plants that two instances get with the same id, and answers id_taken for the other', async () => {
  const { call, ids, readNames } = await prepareRace();
  const outcomes = await raceInstances(call, ids, (instance) => `of instance ${instance}`);
  const names = await readNames();
  expect(names.size).toBe(ids.length);
  for (const [id, ofId] of outcomes) {
    expect(ofId.toSorted()).toEqual(['stored', 'taken']);
    expect(names.get(id)).toBe(`of instance ${ofId.indexOf('stored')}`);
  }
  // Otherwise there was no race.
  for (const instance of [0, 1]) expect([...names.values()]).toContain(`of instance ${instance}`);
});

it('stores a plant once that two instances get, and replays it at the other', async () => {
  const { call, ids, readNames } = await prepareRace();
  const outcomes = await raceInstances(call, ids, (_, id) => `plant ${id}`);
  for (const ofId of outcomes.values()) expect(ofId.toSorted()).toEqual(['replayed', 'stored']);
  expect(await readNames()).toEqual(new Map(ids.map((id) => [id, `plant ${id}`])));
});
