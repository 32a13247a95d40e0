import type { ChangePosition } from '@plant-store/records';
import { expect, it, onTestFinished } from 'vitest';
import { openTestDatabase } from '../../../test/support/database/create-test-database.js';
import type { PlantStore } from '../../../test/support/plants/plants-of.js';
import { plantsOf } from '../../../test/support/plants/plants-of.js';
import { useConnections } from '../../../test/support/postgresql/use-connections.js';

const { database, connect } = useConnections();

/** Opens the database as a start of the service does. */
async function open() {
  const {
    stores: { plant: plants },
    close,
  } = await openTestDatabase(database);
  onTestFinished(close);
  return plants;
}

/** The ids of the changes after a position. */
async function idsAfter(plants: PlantStore, after: ChangePosition | undefined): Promise<readonly bigint[]> {
  const { changes } = await plants.listChanges(after, { matches: 100, bytes: 1_000 });
  return changes.map(({ record }) => record.id);
}

it('changes wait for older transactions, and a change that commits last is not missed', async () => {
  const plants = await open();
  await plants.create(plantsOf(1));
  const start = await plants.lastChange();
  const older = await connect();
  await older.query(`BEGIN; INSERT INTO plants (id, name, change_place)
    VALUES (2, 'older', pg_current_xact_id()::text::bigint + (SELECT base FROM plants_change_base))`);
  await plants.create(plantsOf(3));
  expect(await idsAfter(plants, start)).toEqual([]);
  expect(await plants.lastChange()).toEqual(start);
  // Open transactions that are newer than all that have ended.
  for (const id of [4, 5])
    await (await connect()).query(`BEGIN; INSERT INTO plants (id, name) VALUES (${id}, 'later')`);
  expect(await plants.lastChange()).toEqual(start);
  await older.query('COMMIT');
  expect(await idsAfter(plants, start)).toEqual([2n, 3n]);
  expect((await plants.lastChange())?.id).toBe(3n);
});

it('changes do not wait for transactions that change no plants', async () => {
  const plants = await open();
  const other = await connect();
  await other.query('BEGIN; CREATE TABLE others (); SELECT * FROM plants');
  await plants.create(plantsOf(10));
  const last = await plants.lastChange();
  expect(last?.id).toBe(10n);
  // A manual change has no number, so it is not in the order, and invalidates no earlier position.
  await other.query("INSERT INTO plants (id, name) VALUES (11, 'by hand')");
  expect(await idsAfter(plants, last)).toEqual([]);
  await other.query('ROLLBACK');
});

it('after a restore on a server that has had fewer transactions, new changes come after those from before', async () => {
  const before = await open();
  await before.create(plantsOf(1, 2));
  // As if the old server had had many more transactions.
  await database.query('UPDATE plants SET change_place = change_place + 1000000000 * id');
  const opened = await Promise.all([open(), open(), open()]);
  const last = await opened[0]?.lastChange();
  expect(last).toMatchObject({ id: 2n });
  for (const [at, plants] of [...opened, await open()].entries()) {
    await plants.create(plantsOf(3 + at));
    expect(await idsAfter(plants, last)).toEqual([3n, 4n, 5n, 6n].slice(0, at + 1));
  }
  expect(await database.query('SELECT count(*)::int AS bases FROM plants_change_base')).toEqual([
    { bases: 1 },
  ]);
});
