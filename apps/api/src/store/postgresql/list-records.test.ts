import { createDatabase } from '@plant-store/postgresql-server';
import pg from 'pg';
import { beforeEach, expect, inject, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../../test/support/database/create-test-database.js';
import { until } from '../../../test/support/until.js';
import { confirmOnceSql } from './probe-commit.js';

let url = '';
beforeEach(async () => {
  url = await createDatabase(inject('postgresqlUrl'));
});

it('commits if the end of the log may not be on disk yet, and otherwise not', async () => {
  const connection = new pg.Client(url);
  await connection.connect();
  onTestFinished(() => connection.end());
  const commitsAfter = async (sql: string) => {
    const results: unknown = await connection.query(`
      BEGIN; ${sql}; SELECT ${confirmOnceSql}; SELECT pg_current_xact_id_if_assigned() IS NOT NULL AS commits; COMMIT`);
    return (results as pg.QueryResult<{ commits: boolean }>[])[3]?.rows[0]?.commits;
  };
  // Others write to the same log, and have it synced.
  await until(() => commitsAfter(`SELECT pg_logical_emit_message(false, 'test', '')`));
  await until(async () => (await commitsAfter('SELECT')) === false);
});

it('counts values after any text, which is a literal in the statement', async () => {
  const database = await openTestDatabase({ url });
  onTestFinished(() => database.close());
  const { plant } = database.stores;
  await plant.create(
    ['Fern', "it's", 'it\\', 'Ünder'].map((tag, at) => ({ id: BigInt(at), name: 'Fern', tag })),
  );
  const count = async (after?: string) => (await plant.countValues('tag', after, 2)).counts;
  expect(await count()).toEqual(['Fern', "it's"].map((tag) => [tag, 1]));
  expect(await count("it's")).toEqual(['it\\', 'Ünder'].map((tag) => [tag, 1]));
  expect(await count('it\\')).toEqual([['Ünder', 1]]);
  await expect(count('\0')).rejects.toThrow('invalid byte sequence');
});
