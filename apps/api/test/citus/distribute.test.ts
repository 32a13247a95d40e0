import { createClient } from '@plant-store/client';
import { errors } from '@plant-store/contract/errors';
import { expect, it } from 'vitest';
import { createCitusSchema } from '../support/postgresql/citus-cluster.js';
import { issueToken, startServe } from '../support/process/run-command.js';
import { readPage } from '../support/read-markdown.js';

const findShards = `SELECT shardid FROM pg_dist_shard WHERE logicalrelid = 'plants'::regclass`;
const ends = (exitCode: number, text: string | RegExp) => ({ exitCode, stderr: expect.stringMatching(text) });

it('moves the plants of a running service to shards, which loses none of those that it acknowledges', async () => {
  const { query, call, migrate } = await createCitusSchema();
  await migrate();
  await query(`INSERT INTO plants SELECT id, 'Fern' FROM generate_series(1, 100000) AS id`);
  const token = await issueToken(call);
  const { command, baseUrl } = await startServe(call);
  const client = createClient({ baseUrl, token, retries: 0 });
  const create = (id: number) => client.createPlant({ body: { id, name: 'Moss' } });

  let isDone = false;
  const done = migrate('--distribute', '6').finally(() => {
    isDone = true;
  });
  const acknowledged: number[] = [];
  for (let id = 200_001; !isDone; id++) if ((await create(id)).status === 200) acknowledged.push(id);
  expect(await done).toMatchObject(ends(0, /6 shards across \d+ nodes?, with 1\d{5} records moved/));

  expect(await create(300_000)).toMatchObject({ status: 200, replayed: false });
  expect(await create(300_000)).toMatchObject({ status: 200, replayed: true });
  expect(await create(1)).toMatchObject({ body: { error: errors.id_taken.error } });
  await command.end('SIGTERM');

  expect(await query(findShards)).toHaveLength(6);
  const found = await query(`SELECT FROM plants WHERE id IN (${[300_000, ...acknowledged].join()})`);
  expect(found).toHaveLength(acknowledged.length + 1);
  expect(await query('SELECT FROM plants WHERE id <= 100000')).toHaveLength(100_000);
  // The former copy is gone, and nothing else was distributed.
  expect(await query(`SELECT pg_relation_size('plants')::int AS size`)).toEqual([{ size: 0 }]);
  const partitions = `SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('access_tokens')`;
  expect(await query(partitions)).toEqual([]);
});

it('accepts the number of shards that another command has set', async () => {
  const { query, migrate } = await createCitusSchema();
  expect((await migrate('--distribute')).exitCode).toBe(0);
  await query(`SELECT alter_distributed_table('plants', shard_count => 3)`);
  expect((await migrate('--distribute', '3')).exitCode).toBe(0);
});

it('removes the copy that an earlier move has left on the coordinator', async () => {
  const { query, migrate } = await createCitusSchema();
  await migrate();
  await query(`INSERT INTO plants VALUES (1, 'Fern')`);
  await query(`SELECT create_distributed_table('plants', 'id', shard_count => 2, colocate_with => 'none')`);
  expect((await migrate('--distribute')).exitCode).toBe(0);
  expect(await query(`SELECT pg_relation_size('plants')::int AS size`)).toEqual([{ size: 0 }]);
  expect(await query('SELECT id::int FROM plants')).toEqual([{ id: 1 }]);
});

it.each([
  ['a unique name', 'ALTER TABLE plants ADD UNIQUE (name)', /UNIQUE.*partition column/s],
  [
    'another kind',
    `SELECT create_reference_table('plants')`,
    /could not be distributed: table "plants" is already distributed/,
  ],
  [
    'a trigger',
    `CREATE FUNCTION skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
     SET citus.enable_unsafe_triggers = off;
     CREATE TRIGGER skip BEFORE INSERT ON plants FOR EACH ROW EXECUTE FUNCTION skip()`,
    /could not be distributed: .*has triggers\. Consider dropping all the triggers on "plants"/,
  ],
])('leaves a table that Citus cannot distribute as it was: %s', async (_, sql, message) => {
  const { query, migrate } = await createCitusSchema();
  await migrate();
  await query(sql);
  expect(await migrate('--distribute')).toMatchObject(ends(1, message));
  const distributed = await query(
    `SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('plants') AND partmethod = 'h'`,
  );
  expect(distributed).toEqual([]);
});

it('gets more shards by the documented split, which the command then accepts', async () => {
  const [, split = ''] =
    /^```sql\n(SELECT citus_split_shard_by_split_points.*?)^```$/ms.exec(readPage('docs/operate/citus.md')) ??
    [];
  const { query, migrate } = await createCitusSchema();
  await migrate('--distribute', '2');
  await query(`INSERT INTO plants SELECT id, 'Fern' FROM generate_series(1, 100) AS id`);
  await query(split);
  await query(split);
  expect((await migrate('--distribute', '4')).exitCode).toBe(0);
  expect(await query('SELECT FROM plants')).toHaveLength(100);
});
