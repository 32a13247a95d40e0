import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlQuery } from '@prisma/driver-adapter-utils';
import { expect, it, onTestFinished } from 'vitest';
import { plantTable } from '../../src/plants/plant-store.js';
import { createInsert, createPostgresqlStore } from '../../src/store/postgresql/postgresql-store.js';
import { createCitusSchema } from '../support/postgresql/citus-cluster.js';

const shards = 4;

it('writes the record that confirms a replay on the node of each shard', async () => {
  const { name, url, query, migrate } = await createCitusSchema();
  await migrate('--distribute', `${shards}`);
  await query(`INSERT INTO plants SELECT id, 'Fern' FROM generate_series(1, 100) AS id`);
  const options = `-c search_path=${name}`;
  const connections = await new PrismaPg({ connectionString: url, options }).connect();
  onTestFinished(() => connections.dispose());
  const queries: SqlQuery[] = [];
  const queryRaw = connections.queryRaw.bind(connections);
  connections.queryRaw = (next) => {
    queries.push(next);
    return queryRaw(next);
  };
  const ids = Array.from({ length: 100 }, (_, index) => BigInt(index + 1));
  const store = createPostgresqlStore({
    ...{ connections, table: plantTable, insert: createInsert(plantTable) },
    transact: (find) => find(),
  });
  expect(await store.find(ids)).toHaveLength(100);

  expect(queries).toHaveLength(1);
  await query('SET citus.explain_all_tasks = on');
  const sql = queries[0]?.sql.replace('$1', `'{${ids}}'`);
  const plan = await query<{ 'QUERY PLAN': string }>(`EXPLAIN (VERBOSE) ${sql}`);
  const lines = plan.map((row) => row['QUERY PLAN']);
  const perShard = lines.filter((line) => /^ {6,}.*Output: .*pg_logical_emit_message/.test(line));
  const [onCoordinator = ''] = lines.filter((line) => /^ {0,5}Output: /.test(line));
  expect(perShard).toHaveLength(shards);
  expect(onCoordinator).not.toContain('pg_logical_emit_message');
});
