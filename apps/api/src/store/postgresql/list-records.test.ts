import { createDatabase } from '@plant-store/postgresql-server';
import type { ListQuery } from '@plant-store/records';
import pg from 'pg';
import { beforeEach, expect, inject, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../../test/support/database/create-test-database.js';
import { plantTable } from '../../../test/support/plants/plants-of.js';
import { removeFrom } from '../../../test/support/plants/remove-from.js';
import { until } from '../../../test/support/until.js';
import { countValues, createListPage } from './list-records.js';
import { confirmDurable, durableOnceSql } from './probe-commit.js';
import { createQuery, type Statement } from './run-query.js';

let url = '';
beforeEach(async () => {
  url = await createDatabase(inject('postgresqlUrl'));
});

it('reads each page of all plants by one statement of the same name, unless it finds a tombstone or a long plant', async () => {
  const database = await openTestDatabase({ url });
  onTestFinished(() => database.close());
  await database.stores.plant.create(
    [1n, 2n, 3n, 4n].map((id) => ({ id, name: 'Fern', addedAt: Number(id) })),
  );
  const pool = new pg.Pool({ connectionString: url });
  onTestFinished(() => pool.end());
  const query = createQuery(pool);
  const sent: Statement[] = [];
  const listPage = createListPage((statement) => {
    sent.push(statement);
    return query(statement);
  }, plantTable);
  const list = async (query: ListQuery, matches: number) => {
    const page = await listPage(query, { matches, bytes: 100_000 });
    return page && { ids: page.records.map(({ id }) => id), last: page.last?.id };
  };
  const after = (id: bigint) => ({ id, addedAt: Number(id) });

  expect(await list({ order: 'id' }, 2)).toEqual({ ids: [1n, 2n], last: 2n });
  expect(await list({ order: 'id', after: after(1n) }, 2)).toEqual({ ids: [2n, 3n], last: 3n });
  expect(await list({ order: 'id', after: after(2n) }, 3)).toEqual({ ids: [3n, 4n], last: undefined });
  expect(await list({ order: 'newest', after: after(4n) }, 2)).toEqual({ ids: [3n, 2n], last: 2n });
  expect(sent.map(({ name }) => name)).toEqual([
    'list_id_plants',
    'list_id_after_plants',
    'list_id_after_plants',
    'list_newest_after_plants',
  ]);
  expect(new Set(sent.map(({ sql }) => sql)).size).toBe(3);

  await removeFrom(database.stores.plant, [2n]);
  expect(await list({ order: 'id' }, 2)).toBeUndefined();
  await database.stores.plant.create([{ id: 5n, name: 'x'.repeat(2_001) }]);
  expect(await list({ order: 'id', after: after(2n) }, 1)).toEqual({ ids: [3n], last: 3n });
  expect(await list({ order: 'id', after: after(2n) }, 2)).toBeUndefined();
});

it('commits if the end of the log may not be on disk yet, and otherwise not', async () => {
  const connection = new pg.Client(url);
  await connection.connect();
  onTestFinished(() => connection.end());
  const commitsAfter = async (sql: string) => {
    const results: unknown = await connection.query(`
      BEGIN; ${sql}; SELECT ${durableOnceSql}; SELECT pg_current_xact_id_if_assigned() IS NOT NULL AS commits; COMMIT`);
    return (results as pg.QueryResult<{ commits: boolean }>[])[3]?.rows[0]?.commits;
  };
  // Others write to the same log, and have it synced.
  await until(() => commitsAfter(`SELECT pg_logical_emit_message(false, 'test', '')`));
  await until(async () => (await commitsAfter('SELECT')) === false);
});

it('counts values in a statement that several processes may run, and confirms them on the same connection', async () => {
  const database = await openTestDatabase({ url });
  onTestFinished(() => database.close());
  const tags = ['Fern', "it's", 'it\\', 'Ünder'];
  await database.stores.plant.create(tags.map((tag, at) => ({ id: BigInt(at), name: 'Fern', tag })));
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  onTestFinished(() => pool.end());
  const sent: string[] = [];
  const count = (after?: string) =>
    countValues(
      (statement) => {
        sent.push(statement.sql);
        return createQuery(pool)(statement);
      },
      plantTable,
      { field: 'tag', after, maxValues: 2, isDistributed: false },
    );
  const countOf = (tag: string) => [tag, 1];

  expect(await count()).toEqual({ counts: ['Fern', "it's"].map(countOf), hasMore: true });
  expect(await count("it's")).toEqual({ counts: ['it\\', 'Ünder'].map(countOf), hasMore: false });
  expect(await count('it\\')).toEqual({ counts: ['Ünder'].map(countOf), hasMore: false });

  await pool.query(
    'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0',
  );
  await pool.query('SET enable_indexscan = off; SET enable_bitmapscan = off');
  for (const sql of sent) {
    const [counting, confirming] = sql.split('; ');
    const { rows } = await pool.query(`EXPLAIN ${counting}`);
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Gather.*Parallel Seq Scan/s);
    expect(confirming).toBe(confirmDurable);
  }
  await expect(count('\0')).rejects.toThrow('invalid byte sequence');
});
