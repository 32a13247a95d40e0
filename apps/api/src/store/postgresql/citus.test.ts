import { resources } from '@plant-store/contract/resources';
import type pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createSql } from '../../../scripts/create-sql.js';
import { openTestDatabase } from '../../../test/support/database/create-test-database.js';
import { createStandInCitus, distributeStandIn } from '../../../test/support/postgresql/stand-in-citus.js';
import { onInsert, useConnections } from '../../../test/support/postgresql/use-connections.js';
import { until } from '../../../test/support/until.js';
import { OperatorError } from '../../errors/operator-error.js';
import { readMigrations } from '../migrations.js';
import { allTables, tableOf } from '../table.js';
import { distributeTables } from './citus.js';
import { migratePostgresql } from './migrate-postgresql.js';

const { connect, database } = useConnections();

it.each([
  ['synchronous_commit', 'off'],
  ['client_min_messages', 'error'],
])('opens no database with a node whose connections have %s = %s', async (setting, value) => {
  await distributeStandIn(database.url);
  await database.query(`ALTER FUNCTION master_run_on_worker SET ${setting} = ${value}`);
  const opening = openTestDatabase(database);
  await expect(opening).rejects.toBeInstanceOf(OperatorError);
  await expect(opening).rejects.toThrow(new RegExp(`node worker-\\d:5432 .*ALTER ROLE … SET ${setting} = `));
});

/** Opens a database whose tables are distributed. */
async function openDistributed() {
  await distributeStandIn(database.url);
  const opened = await openTestDatabase(database);
  onTestFinished(() => opened.close());
  return opened;
}

it('changes each plant by a statement of its own', async () => {
  const { stores, changesTogether } = await openDistributed();
  expect(changesTogether).toBe(false);
  await stores.plant.create([1n, 2n].map((id) => ({ id, name: 'Fern' })));
  const reject = `IF NEW.id = 2 THEN RAISE EXCEPTION 'no' USING ERRCODE = 'check_violation'; END IF`;
  await database.query(onInsert(reject, 'UPDATE'));
  const changes = [1n, 2n].map((id) => ({ id, bytes: 4, replace: () => ({ id, name: 'Rose' }) }));
  await expect(stores.plant.change(changes)).rejects.toThrow('no');
  const names = await database.query('SELECT name FROM plants ORDER BY id');
  expect(names).toEqual([{ name: 'Rose' }, { name: 'Fern' }]);
});

it.each([1, 2])(
  'inserts plants on each node to probe, and is unavailable while node %i is away',
  async (node) => {
    const opened = await openDistributed();
    await opened.probeCommit();
    await database.query(
      onInsert(`IF EXISTS (SELECT FROM pg_dist_placement WHERE groupid = ${node}
        AND shardid = get_shard_id_for_distribution_column('plants', NEW.id)) THEN
      RAISE EXCEPTION 'connection to the remote node failed' USING ERRCODE = '08006';
    END IF`),
    );
    await expect(opened.probeCommit()).rejects.toMatchObject({ errorName: 'database_unavailable' });
  },
);

describe('distributing tables', () => {
  let connection: pg.Client;
  beforeEach(async () => {
    connection = await connect();
    await migratePostgresql(connection, 'public', readMigrations('postgresql'));
    await createStandInCitus(database.url, { nodes: 2 });
    await connection.query(`INSERT INTO plants SELECT id, 'Fern' FROM generate_series(1, 5) AS id`);
  });

  const countOf = async (table: string) => (await database.query(`SELECT FROM ${table}`)).length;
  const isWaiting = async () =>
    (await database.query(`SELECT FROM pg_locks WHERE NOT granted AND relation = 'plants'::regclass`))
      .length === 1;

  it('rejects another number of shards', async () => {
    await distributeTables(connection, 8);
    await expect(distributeTables(connection, 16)).rejects.toThrow(
      /across 8 shards.*docs\/operate\/citus\.md/,
    );
    expect(await distributeTables(connection, 8)).toEqual({ shards: 8, nodes: 2, moved: undefined });
    expect(await countOf('pg_dist_shard')).toBe(8);
  });

  it('distributes the table of a later resource with the shards of the others, and none again', async () => {
    await distributeTables(connection, 8);
    const trees = { ...resources.plant, name: 'tree', plural: 'trees' };
    await connection.query(createSql('postgresql', trees));
    await connection.query(`INSERT INTO trees (id, name) VALUES (1, 'Oak'), (2, 'Elm')`);
    const tables = [...allTables, tableOf(trees)];
    expect(await distributeTables(connection, undefined, tables)).toEqual({ shards: 8, nodes: 2, moved: 2n });
    expect(await countOf('pg_dist_shard')).toBe(16);
    expect(await distributeTables(connection, 8, tables)).toMatchObject({ shards: 8, moved: undefined });
  });

  it('distributes once when two commands run at the same time', async () => {
    const other = await connect();
    const outcomes = await Promise.all([distributeTables(connection, 4), distributeTables(other, 4)]);
    expect(new Set(outcomes.map(({ moved }) => moved))).toEqual(new Set([5n, undefined]));
    expect(await countOf('pg_dist_shard')).toBe(4);
  });

  it('removes the history, which needs a trigger', async () => {
    await connection.query(`UPDATE plants SET name = 'Moss' WHERE id = 1`);
    expect(await countOf('plants_history')).toBe(1);
    await distributeTables(connection, 8);
    expect(await countOf('plants_history')).toBe(0);
    expect(await countOf(`pg_trigger WHERE tgrelid = 'plants'::regclass`)).toBe(0);
  });

  it('removes the copy on the coordinator once a dump has ended, which the move did not wait for', async () => {
    await connection.query('DROP TRIGGER keep_plants_history ON plants');
    const dump = await connect();
    await dump.query('BEGIN; LOCK TABLE plants IN ACCESS SHARE MODE');
    const done = distributeTables(connection, undefined);
    await until(async () => (await countOf('pg_dist_partition')) === 1);
    await until(isWaiting);
    expect(await countOf('local_copies')).toBe(0);
    await dump.query('COMMIT');
    await done;
    expect(await countOf('local_copies')).toBe(1);
  });
});
