import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase, query } from '@plant-store/postgresql-server';
import { expect, inject, it } from 'vitest';
import type {} from '../support/postgresql/global-setup.js';
import { createStandInCitus } from '../support/postgresql/stand-in-citus.js';
import { runInProcess } from '../support/process/run-in-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const migrateIn = (url: string, ...options: string[]) =>
  runInProcess(['migrate', ...options], { folder: temporaryFolder(), environment: { DATABASE_URL: url } });

const createEmpty = () => createDatabase(inject('postgresqlUrl'));

it('rejects SQLite before it creates a file', async () => {
  const folder = temporaryFolder();
  const { exitCode, stderr } = await runInProcess(['migrate', '--distribute'], { folder });
  expect({ exitCode, created: existsSync(join(folder, 'data')) }).toEqual({ exitCode: 1, created: false });
  expect(stderr).toMatch(/Only a PostgreSQL database .* Nothing was changed\.\n$/);
});

it.each([
  { problem: 'no Citus', message: 'CREATE EXTENSION citus' },
  { problem: 'no nodes', cluster: { nodes: 0 }, message: /citus_add_node\('host', 5432\)/ },
  {
    problem: 'a node is away',
    cluster: { nodes: 3, away: 2 },
    message: /worker-2:5432: failed to connect\nA node of Citus is away/,
  },
  { problem: 'a worker', cluster: { nodes: 2, isCoordinator: false }, message: 'is not the coordinator' },
])('creates no table where it cannot distribute: $problem', async ({ cluster, message }) => {
  const url = await createEmpty();
  if (cluster !== undefined) await createStandInCitus(url, cluster);
  const { exitCode, stderr } = await migrateIn(url, '--distribute');
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(message);
  expect(await query(url, `SELECT FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
});

it('distributes nothing where a node would acknowledge plants before they are on its disk', async () => {
  const url = await createEmpty();
  await createStandInCitus(url, { nodes: 2 });
  await query(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`);
  const { exitCode, stderr } = await migrateIn(url, '--distribute');
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /node worker-1:5432 do not wait for the disk.*ALTER ROLE … SET synchronous_commit = on/,
  );
  expect(await query(url, `SELECT FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
});

it('distributes only with the option, and reports what it did', async () => {
  const url = await createEmpty();
  await createStandInCitus(url, { nodes: 3 });
  expect((await migrateIn(url)).exitCode).toBe(0);
  expect(await query(url, 'SELECT FROM pg_dist_partition')).toEqual([]);
  await query(url, `INSERT INTO plants SELECT id, 'Fern' FROM generate_series(1, 7) AS id`);

  const first = await migrateIn(url, '--distribute');
  expect(first.exitCode).toBe(0);
  expect(first.stderr).toContain('The plants are now distributed: 6 shards over 3 nodes, 7 plants moved.');
  expect(first.stderr).toContain('Restart running instances');
  expect(await query(url, 'SELECT FROM local_copies')).toHaveLength(1);

  const second = await migrateIn(url, '--distribute');
  expect(second.exitCode).toBe(0);
  expect(second.stderr).toContain('The plants are distributed already: 6 shards over 3 nodes.');
});

it('creates the tables and distributes them in one go', async () => {
  const url = await createEmpty();
  await createStandInCitus(url, { nodes: 1 });
  const { exitCode, stdout, stderr } = await migrateIn(url, '--distribute', '5');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^\d+_\w+\n/);
  expect(stderr).toContain('5 shards over 1 node, 0 plants moved');
});
