import type { NewPlant } from '@plant-store/contract';
import { expect, it, onTestFinished } from 'vitest';
import { recordLog } from '../../../../test/support/database/record-log.js';
import { createTestQueue } from '../../../../test/support/plants/create-test-queue.js';
import { plantsOf } from '../../../../test/support/plants/plants-of.js';
import { distributeStandIn } from '../../../../test/support/postgresql/stand-in-citus.js';
import { locateIn, useConnections } from '../../../../test/support/postgresql/use-connections.js';
import { until } from '../../../../test/support/until.js';
import { parseConfig } from '../../../config.js';
import { OperatorError } from '../../../errors/operator-error.js';
import { openDatabase } from '../../open-database.js';
import { orThrow } from '../../store.js';

const { database } = useConnections();

/** A migrated database whose plants are distributed over two nodes. */
async function distribute(away?: number) {
  await distributeStandIn(database.url, away);
  const { log, lines } = recordLog();
  const { database: location } = parseConfig({ DATABASE_URL: database.url }, '/');
  return { open: () => openDatabase(location, { log }), lines, query: database.query };
}

it.each([
  ['synchronous_commit', 'off'],
  ['client_min_messages', 'error'],
])('opens no database with a node whose connections have %s = %s', async (setting, value) => {
  const { open, query } = await distribute();
  await query(`ALTER FUNCTION master_run_on_worker SET ${setting} = ${value}`);
  const opening = open();
  await expect(opening).rejects.toBeInstanceOf(OperatorError);
  await expect(opening).rejects.toThrow(new RegExp(`node worker-\\d:5432 .*ALTER ROLE … SET ${setting} = `));
});

it('warns of a node that is away, and stores nothing on it when it is back without durable commits', async () => {
  const { open, lines, query } = await distribute(1);
  const opened = await open();
  onTestFinished(() => opened.close());
  expect(lines).toEqual(['warn: degraded: worker-1:5432: failed to connect']);

  const plants = plantsOf(...Array.from({ length: 20 }, (_, index) => index + 1));
  const ids = plants.map(({ id }) => id);
  const nodes = await locateIn(database.url, ids);
  const [away, present] = [1, 2].map((group) => plants.filter(({ id }) => nodes.get(id) === group));
  if (!away?.length || !present?.length) throw new Error('there is a plant for each node');
  const causeOf = (plant: NewPlant) =>
    opened.stores.plant
      .create([plant])
      .then((outcomes) => void outcomes.map(orThrow))
      .catch((error: Error) => String(error.cause));
  for (const plant of present) expect(await causeOf(plant)).toBeUndefined();
  for (const plant of away) expect(await causeOf(plant)).toContain('worker-1:5432: failed to connect');
  await expect(opened.stores.plant.find(away.map(({ id }) => id))).rejects.toThrow('does not answer');
  expect(await opened.stores.plant.find(present.map(({ id }) => id))).toHaveLength(present.length);

  await query('ALTER FUNCTION master_run_on_worker SET synchronous_commit = off');
  // A standby takes the place of the node.
  await query(`UPDATE pg_dist_node SET nodename = 'standby-1' WHERE nodename = 'worker-1'`);
  const [first = plants[0]] = away;
  await until(async () =>
    /worker-1:5432 .*synchronous_commit = off/.test(`${first && (await causeOf(first))}`),
  );
  // Nor does a probe make it count as working.
  const queue = createTestQueue(opened);
  for (const plant of away) await expect(queue.create('plant', plant, 1)).rejects.toThrow('does not answer');
  await opened.probeCommit().catch(() => undefined);
  expect(opened.failingShare?.()).toBeGreaterThanOrEqual(0.5);
  const stored = await query<{ id: number }>('SELECT id::int FROM plants ORDER BY id');
  expect(stored.map(({ id }) => BigInt(id))).toEqual(present.map(({ id }) => id));
});
