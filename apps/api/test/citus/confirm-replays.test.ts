import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { createInsert, createPostgresqlStore } from '../../src/store/postgresql/postgresql-store.js';
import { createQuery } from '../../src/store/postgresql/run-query.js';
import { plantTable } from '../support/plants/plants-of.js';
import { createCitusSchema } from '../support/postgresql/citus-cluster.js';

const shards = 4;

it('writes the record that confirms a replay on the node of each shard', async () => {
  const { name, url, query, migrate } = await createCitusSchema();
  await migrate('--distribute', `${shards}`);
  await query(`INSERT INTO plants SELECT id, 'Fern' FROM generate_series(1, 100) AS id`);
  const options = `-c search_path=${name}`;
  const pool = new pg.Pool({ connectionString: url, options });
  onTestFinished(() => pool.end());
  const sent: string[] = [];
  const ids = Array.from({ length: 100 }, (_, index) => BigInt(index + 1));
  const store = createPostgresqlStore({
    query(statement) {
      sent.push(statement.sql);
      return createQuery(pool)(statement);
    },
    table: plantTable,
    composeInsert: createInsert(plantTable),
    transact: (find) => find(),
  });
  expect(await store.find(ids)).toHaveLength(100);

  expect(sent).toHaveLength(1);
  await query('SET citus.explain_all_tasks = on');
  const sql = sent[0]?.replace('$1', `'{${ids}}'`);
  const plan = await query<{ 'QUERY PLAN': string }>(`EXPLAIN (VERBOSE) ${sql}`);
  const lines = plan.map((row) => row['QUERY PLAN']);
  const perShard = lines.filter((line) => /^ {6,}.*Output: .*pg_logical_emit_message/.test(line));
  const [onCoordinator = ''] = lines.filter((line) => /^ {0,5}Output: /.test(line));
  expect(perShard).toHaveLength(shards);
  expect(onCoordinator).not.toContain('pg_logical_emit_message');
});
