import { expect, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../support/database/create-test-database.js';
import { plantsOf } from '../support/plants/plants-of.js';
import { createCitusSchema } from '../support/postgresql/citus-cluster.js';
import { runCommand } from '../support/process/run-command.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const plants = plantsOf(...Array.from({ length: 200 }, (_, index) => index + 1));
const highLimits = { plants: 1_000, bytes: 2 ** 20 };

/** How many connections of the service itself each node has; those of the coordinator have another name. */
const countConnections = `
  SELECT result::int AS connections FROM run_command_on_workers(
    $$SELECT count(*) FROM pg_stat_activity WHERE application_name = 'plant-store' AND query LIKE 'INSERT INTO plants%' AND datname = current_database()$$)`;

it('stores and confirms plants on connections to each node, and reads them from all', async () => {
  const { url, query } = await createCitusSchema();
  const call = { folder: temporaryFolder(), environment: { DATABASE_URL: url } };
  await runCommand(['migrate', '--distribute', '8'], call);
  const database = await openTestDatabase({ url }, { DATABASE_DIRECT_TO_NODES: 'on' });
  onTestFinished(() => database.close());
  expect(await database.plants.insert(plants)).toEqual(plants.map(() => ({ stored: true })));
  const connections = await query<{ connections: number }>(countConnections);
  expect(connections.length).toBeGreaterThan(0);
  for (const node of connections) expect(node.connections).toBeGreaterThan(0);
  expect(await database.plants.insert(plants)).toEqual(
    plants.map((existing) => ({ stored: false, existing })),
  );
  const found = [];
  for await (const page of database.plants.read(undefined, highLimits)) found.push(...page);
  expect(found).toEqual(plants);
});

it('goes on storing plants while a shard is moved', async () => {
  const { url, query } = await createCitusSchema();
  const call = { folder: temporaryFolder(), environment: { DATABASE_URL: url } };
  await runCommand(['migrate', '--distribute', '4'], call);
  const database = await openTestDatabase({ url }, { DATABASE_DIRECT_TO_NODES: 'on' });
  onTestFinished(() => database.close());
  const moving = query(`
    SELECT citus_move_shard_placement(shardid, nodename, nodeport, other.name, other.port, 'block_writes')
    FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node node USING (groupid),
      LATERAL (SELECT nodename AS name, nodeport AS port FROM pg_dist_node
        WHERE groupid NOT IN (0, node.groupid) AND noderole = 'primary' LIMIT 1) AS other
    WHERE logicalrelid = 'plants'::regclass ORDER BY shardid LIMIT 1`);
  let hasMoved = false;
  void moving.finally(() => {
    hasMoved = true;
  });
  let next = 1;
  do {
    const batch = plantsOf(...Array.from({ length: 20 }, () => next++));
    expect(await database.plants.insert(batch)).toEqual(batch.map(() => ({ stored: true })));
  } while (!hasMoved);
  await moving;
  const after = plantsOf(...Array.from({ length: 200 }, () => next++));
  expect(await database.plants.insert(after)).toEqual(after.map(() => ({ stored: true })));
  expect(await query<{ id: string }>('SELECT id FROM plants')).toHaveLength(next - 1);
});
