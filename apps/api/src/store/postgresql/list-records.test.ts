import { createDatabase } from '@plant-store/postgresql-server';
import type { ListQuery } from '@plant-store/records';
import pg from 'pg';
import { beforeEach, expect, inject, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../../test/support/database/create-test-database.js';
import { plantTable } from '../../../test/support/plants/plants-of.js';
import { removeFrom } from '../../../test/support/plants/remove-from.js';
import { until } from '../../../test/support/until.js';

import { createListPage } from './list-records.js';
import { durableOnceSql } from './probe-commit.js';
import { createQuery, type Statement } from './run-query.js';

let url = '';
beforeEach(async () => {
  url = await createDatabase(inject('postgresqlUrl'));
});

it('reads each page of all plants by one statement of the same name, until it finds a tombstone', async () => {
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
    const page = await listPage(query, { matches, bytes: 1_000 });
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
