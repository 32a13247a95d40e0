import { createDatabase, query } from '@plant-store/postgresql-server';
import { expect, inject, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../../../test/support/database/create-test-database.js';
import { plantsOf } from '../../../../test/support/plants/plants-of.js';
import { readNodeOf } from '../../../../test/support/postgresql/read-node-of.js';
import { createStandInCitus } from '../../../../test/support/postgresql/stand-in-citus.js';
import { startProxy } from '../../../../test/support/postgresql/start-proxy.js';

const plants = plantsOf(...Array.from({ length: 40 }, (_, index) => index + 1));
const stored = plants.map(() => ({ stored: true }));

/** Makes the coordinator reach other servers at the addresses of the nodes than the service does. */
const otherServers = `
  CREATE OR REPLACE FUNCTION master_run_on_worker(names text[], ports int[], commands text[], parallel boolean)
  RETURNS TABLE (success boolean, result text) LANGUAGE plpgsql AS $$
  BEGIN
    success = true;
    IF commands[1] LIKE '%system_identifier%' THEN result = '1'; ELSE EXECUTE commands[1] INTO result; END IF;
    RETURN NEXT;
  END$$`;

/** A database that stands in for a coordinator and two nodes, each behind a proxy of its own. */
async function openCluster({ areNodes = true } = {}) {
  const url = await createDatabase(inject('postgresqlUrl'));
  await (await openTestDatabase({ url })).close();
  const proxies = await Promise.all([1, 2].map(() => startProxy(Number(new URL(url).port))));
  await createStandInCitus(url, { nodes: 2, ports: proxies.map(({ port }) => port) });
  await query(url, `SELECT create_distributed_table('plants', 'id', 4, 'none')`);
  if (!areNodes) await query(url, otherServers);
  const database = await openTestDatabase({ url }, { DATABASE_DIRECT_TO_NODES: 'on' });
  onTestFinished(async () => {
    await database.close();
    for (const proxy of proxies) proxy.stop();
  });
  const nodeOf = await readNodeOf(url);
  const onNode = (node: number) => plants.filter(({ id }) => nodeOf(id) === node);
  return { store: database.plants, proxies, onNode };
}

it('sends the statements for a shard straight to its node, and through the coordinator once the node is away', async () => {
  const { store, proxies, onNode } = await openCluster();
  const [one, two] = [onNode(1), onNode(2)];
  expect(one.length * two.length).toBeGreaterThan(0);
  proxies[1]?.stop();
  await expect(store.insert(two)).rejects.toMatchObject({ errorName: 'database_unavailable' });
  expect(await store.insert(one)).toEqual(one.map(() => ({ stored: true })));
  expect(await store.insert(two)).toEqual(two.map(() => ({ stored: true })));
  expect(await store.insert(plants)).toEqual(plants.map((existing) => ({ stored: false, existing })));
});

it('reads plants that are there already on their node, too', async () => {
  const { store, proxies, onNode } = await openCluster();
  expect(await store.insert(plants)).toEqual(stored);
  proxies[0]?.freezeAnswersTo('SELECT id, name, tag');
  let answered = false;
  void store.insert(onNode(1)).then(
    () => {
      answered = true;
    },
    () => undefined,
  );
  await expect(store.insert(onNode(2))).resolves.toHaveLength(onNode(2).length);
  expect(answered).toBe(false);
  proxies[0]?.thaw();
});

it('sends nothing to a server that is not the node', async () => {
  const { store, proxies } = await openCluster({ areNodes: false });
  for (const proxy of proxies) proxy.stop();
  expect(await store.insert(plants)).toEqual(stored);
});
