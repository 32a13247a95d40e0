import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase, query } from '@plant-store/postgresql-server';
import { expect, inject, it } from 'vitest';
import type {} from '../support/postgresql/global-setup.js';
import { createStandInCitus, type StandInCitus } from '../support/postgresql/stand-in-citus.js';
import { failed } from '../support/process/run-command.js';
import { useCommands } from '../support/process/run-in-process.js';

/** A database that seems to be on such a cluster, and how to run commands on it. */
async function createCluster(cluster?: StandInCitus) {
  const url = await createDatabase(inject('postgresqlUrl'));
  if (cluster !== undefined) await createStandInCitus(url, cluster);
  return { url, run: useCommands({ DATABASE_URL: url }).run };
}

it('rejects SQLite before it creates a file', async () => {
  const { folder, run } = useCommands();
  const rejected = failed(/Only a PostgreSQL database .* Nothing was changed\.\n$/);
  expect(await run('migrate --distribute')).toEqual(rejected);
  expect(existsSync(join(folder, 'data'))).toBe(false);
});

it.each<[problem: string, message: RegExp, cluster?: StandInCitus]>([
  ['no Citus', /CREATE EXTENSION citus/],
  ['no nodes', /citus_add_node\('host', 5432\)/, { nodes: 0 }],
  ['a worker', /is not the coordinator/, { nodes: 2, isCoordinator: false }],
])('keeps the history where it cannot distribute: %s', async (_, message, cluster) => {
  const { url, run } = await createCluster(cluster);
  expect(await run('migrate --distribute')).toEqual(failed(message, /^\d+_\w+\n/));
  expect(await query(url, `SELECT FROM pg_trigger WHERE tgname = 'keep_plants_history'`)).toHaveLength(1);
});

it('distributes only with the option, and reports what it did', async () => {
  const { url, run } = await createCluster({ nodes: 3 });
  expect((await run('migrate')).exitCode).toBe(0);
  expect(await query(url, 'SELECT FROM pg_dist_partition')).toEqual([]);
  await query(url, `INSERT INTO plants SELECT id, 'Fern' FROM generate_series(1, 7) AS id`);

  const first = await run('migrate --distribute');
  expect(first.exitCode).toBe(0);
  expect(first.stderr).toContain(
    'The plants are now distributed: 6 shards across 3 nodes, with 7 records moved.',
  );
  expect(first.stderr).toContain('Restart running instances');
  expect(await query(url, 'SELECT FROM local_copies')).toHaveLength(1);

  const second = await run('migrate --distribute');
  expect(second.exitCode).toBe(0);
  expect(second.stderr).toContain('The plants are already distributed: 6 shards across 3 nodes.');
});

it('creates the tables and distributes them in one go', async () => {
  const { run } = await createCluster({ nodes: 1 });
  const { exitCode, stdout, stderr } = await run('migrate --distribute 5');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^\d+_\w+\n/);
  expect(stderr).toContain('5 shards across 1 node, with 0 records moved');
});
