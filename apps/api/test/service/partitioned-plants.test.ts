import { createDatabase, query } from '@plant-store/postgresql-server';
import { withoutTombstones } from '@plant-store/records';
import pg from 'pg';
import { expect, inject, it } from 'vitest';

import { collect } from '../support/collect.js';
import { openTestDatabase } from '../support/database/create-test-database.js';
import { withoutTime } from '../support/database/use-plant-store.js';
import { expectError } from '../support/expect-error.js';
import { postPlant } from '../support/post-plant.js';
import { plantLine } from '../support/process/plant-lines.js';
import { readPage } from '../support/read-markdown.js';
import { startTestService } from '../support/start-test-service.js';

/** The statements of the page, as an operator would paste them. */
const [, partition = ''] = /^```sql\n(BEGIN;.*?PARTITION BY HASH.*?)^```$/ms.exec(
  readPage('docs/operate/partitioning.md'),
) ?? [''];

/** Runs them in one message, as psql does with `-c`. */
async function runPartition(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(partition).finally(() => client.end());
}

/** The definitions of the indexes of the table, partitioned or not. */
async function readIndexes(url: string): Promise<readonly string[]> {
  const rows = await query<{ definition: string }>(
    url,
    `SELECT replace(indexdef, ' ON ONLY ', ' ON ') AS definition FROM pg_indexes WHERE tablename = 'plants' ORDER BY indexname`,
  );
  return rows.map(({ definition }) => definition);
}

const highest = 2n ** 63n - 1n;
const ids = [-highest - 1n, ...Array.from({ length: 60 }, (_, index) => BigInt(index - 30)), highest];
const plantOf = (id: bigint) => ({ id, name: `plant ${id}` });

it('a table that the documented SQL partitions keeps its plants, and serves a running service and a new one', async () => {
  const url = await createDatabase(inject('postgresqlUrl'));
  const before = await openTestDatabase({ url });
  const old = ids.filter((id) => id % 2n === 0n);
  await before.stores.plant.create(old.map(plantOf));
  const indexes = await readIndexes(url);
  await runPartition(url);
  expect(await readIndexes(url)).toEqual(indexes);
  const partitions = await query(url, `SELECT FROM pg_inherits WHERE inhparent = 'plants'::regclass`);
  expect(partitions).toHaveLength(64);
  const changed = `SELECT count(*)::int AS changes FROM plants WHERE change_place IS NOT NULL`;
  expect(await query(url, changed)).toEqual([{ changes: old.length }]);

  // The connections of the running service have prepared their statements for the former table.
  expect(await before.stores.plant.create([plantOf(1n)])).toMatchObject([{ stored: true }]);
  await before.close();

  const service = await startTestService({ DATABASE_URL: url });
  for (const id of ids) {
    const reply = await postPlant(service, plantLine(id));
    expect(reply.status).toBe(200);
    const isReplay = reply.headers['idempotent-replayed'] === 'true';
    expect({ id, isReplay }).toEqual({ id, isReplay: id === 1n || old.includes(id) });
  }
  expectError(
    await postPlant(service, { id: 7, name: 'Fern' }),
    'id_taken',
    'already exists with different values',
  );
  await service.stop();

  const after = await openTestDatabase({ url });
  const exported = withoutTombstones(
    (await collect(after.stores.plant.read(undefined, { records: 1_000, bytes: 2 ** 20 }))).flat(),
  );
  expect(exported.map(withoutTime)).toEqual(ids.map(plantOf));
  // Those from before were in the table that was copied.
  for (const { addedAt } of exported) expect(addedAt).toBeTypeOf('number');
  await after.check();
  await after.close();
});

it('a start rejects a table of which one partition is unlogged', async () => {
  const url = await createDatabase(inject('postgresqlUrl'));
  await (await openTestDatabase({ url })).close();
  await runPartition(url);
  await query(url, 'ALTER TABLE plants_07 SET UNLOGGED');
  await expect(openTestDatabase({ url })).rejects.toThrow(/it is unlogged, so a crash empties it/);
});
