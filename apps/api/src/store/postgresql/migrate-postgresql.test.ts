import { expect, it } from 'vitest';
import { useConnections } from '../../../test/support/postgresql/use-connections.js';
import { until } from '../../../test/support/until.js';
import { readMigrations } from '../migrations.js';
import { migratePostgresql } from './migrate-postgresql.js';

const connections = useConnections();
const { connect } = connections;

const migrations = readMigrations('postgresql');
const lookUp = 'SELECT id FROM access_tokens';
const countWaiting = `SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted AND relation = 'access_tokens'::regclass`;

it('lets running instances go on while it waits for a table, and is applied once that is free', async () => {
  const [migrating, dump, instance] = [await connect(), await connect(), await connect()];
  await migratePostgresql(migrating, 'public', migrations.slice(0, 1));
  await dump.query(`BEGIN; ${lookUp}`);

  const applied = migratePostgresql(migrating, 'public', migrations);
  await until(
    async () => (await connections.database.query<{ waiting: number }>(countWaiting))[0]?.waiting === 1,
  );
  // It waits behind the migration, which waits for the dump.
  await instance.query(lookUp);
  await dump.query('COMMIT');
  expect(await applied).toEqual(migrations.slice(1).map(({ name }) => name));
});
