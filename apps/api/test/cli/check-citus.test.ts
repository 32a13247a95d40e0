import { createDatabase, query } from '@plant-store/postgresql-server';
import { expect, inject, it } from 'vitest';
import { openTestDatabase } from '../support/database/create-test-database.js';
import { examine } from '../support/examine.js';
import { createStandInCitus } from '../support/postgresql/stand-in-citus.js';

const serverUrl = inject('postgresqlUrl');

/** Creates a store whose plants are distributed over two nodes, one of which may be away. */
async function distribute(away?: number): Promise<string> {
  const url = await createDatabase(serverUrl);
  await (await openTestDatabase({ url })).close();
  await createStandInCitus(url, { nodes: 2, ...(away !== undefined && { away }) });
  await query(url, `SELECT create_distributed_table('plants', 'id', 4, 'none')`);
  return url;
}

it('shows how plants are distributed, and the settings of each node', async () => {
  const url = await distribute();
  await query(url, 'ALTER FUNCTION master_run_on_worker SET synchronous_commit = off');
  const found = await examine({ DATABASE_URL: url });
  expect(found('nodes')).toEqual([
    'ok: 4 shards on 2 nodes, with a part of the ids: worker-1:5432 50 %, worker-2:5432 50 %',
    expect.stringContaining('citus.node_conninfo has no tcp_user_timeout'),
  ]);
  expect(found('write')).toEqual(['ok: a plant can be inserted on each node that runs; it was rolled back']);
  expect(await query(url, 'SELECT id FROM plants')).toEqual([]);
  // The server of the tests, which stands for all nodes, does not wait for its disk.
  expect(found('durability')).toEqual([
    expect.stringMatching(/^error: fsync is off:/),
    ...['worker-1:5432', 'worker-2:5432'].flatMap((node) => [
      expect.stringMatching(new RegExp(`^error: commits on its node ${node} .*synchronous_commit = on`)),
      expect.stringMatching(new RegExp(`^error: fsync is off on the node ${node}:.*ALTER SYSTEM SET fsync`)),
    ]),
  ]);
});

it('reports a node that is away, and tries the others', async () => {
  const found = await examine({ DATABASE_URL: await distribute(1) });
  expect(found('nodes')[1]).toMatch(/^error: .* worker-1:5432 .*: plants with 50 % of the ids/);
  expect(found('durability').join()).not.toContain('worker-1');
  expect(found('write')).toEqual(['ok: a plant can be inserted on each node that runs; it was rolled back']);
});

it('assesses the standbys of each node', async () => {
  const url = await distribute();
  await query(
    url,
    `CREATE OR REPLACE FUNCTION master_run_on_worker(names text[], ports int[], commands text[], parallel boolean)
     RETURNS TABLE (success boolean, result text) LANGUAGE sql AS $$ SELECT true, json_build_object(
       'commits', 'on', 'messages', 'notice', 'fsync', 'on', 'pages', 'on', 'names', '',
       'receivers', (names[1] = 'worker-1')::int)::text $$`,
  );
  expect((await examine({ DATABASE_URL: url }))('standby')).toEqual([
    expect.stringMatching(/^ok: /),
    expect.stringMatching(/^warning: on the node worker-1:5432 .* 1 standby or backup receives/),
  ]);
});
