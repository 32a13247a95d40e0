import { isTombstone, removalOf } from '@plant-store/records';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { gardens } from '../../../../../packages/records/test/garden.js';
import { collect } from '../../../test/support/collect.js';
import { enginesOfStore } from '../../../test/support/database/engines.js';
import { highPageLimits } from '../../../test/support/database/use-plant-store.js';
import { forgetGardens, openStores, tables } from '../../../test/support/database/use-stores.js';
import { createTestQueue } from '../../../test/support/plants/create-test-queue.js';
import type { RecordStore, Write } from '../store.js';

forgetGardens();

const [orchard] = gardens;
const plantOf = (id: bigint, name = `plant ${id}`): Write => ({
  resource: 'plant',
  record: { id, name } as never,
});
const gardenOf = (id: bigint, name = 'Orchard'): Write => ({
  resource: 'garden',
  record: { ...orchard, id, name } as never,
});
const removal = (resource: string, id: bigint): Write => ({ resource, change: removalOf<object>(id) });
const limits = { matches: 100, records: 100, bytes: 1e6 };
const stored = { stored: true, addedAt: expect.any(Number) };

describe.each(enginesOfStore())('writes of several resources on %s', (kind) => {
  let opened: Awaited<ReturnType<typeof openStores>>;
  let queue: ReturnType<typeof createTestQueue>;
  beforeAll(async () => {
    opened = await openStores(kind);
    queue = createTestQueue(opened.database, { tables });
  });
  afterEach(async () => {
    for (const table of ['plants', 'gardens']) await opened.testDatabase.query(`DELETE FROM ${table}`);
  });
  afterAll(() => opened.close());

  const write = (...writes: Write[]) =>
    Promise.all<unknown>(
      writes.map(({ resource, record, change }) => {
        const writer = queue.writerOf(resource, 1);
        return record === undefined ? writer.change(change) : writer.create(record);
      }),
    );
  const idsIn = async (store: Pick<RecordStore, 'read'>) =>
    (await collect(store.read(undefined, highPageLimits)))
      .flat()
      .map((record) => `${record.id}${isTombstone(record) ? ' deleted' : ''}`);
  const ids = async () => [await idsIn(opened.stores.plant), await idsIn(opened.stores.garden)];

  it('have one outcome each, in order, creates come first, and the same id of another resource stays', async () => {
    await write(plantOf(1n), gardenOf(1n));
    const outcomes = await write(
      removal('plant', 1n),
      gardenOf(2n),
      plantOf(2n),
      removal('garden', 3n),
      gardenOf(1n, 'Other'),
      plantOf(3n),
      removal('garden', 2n),
    );
    expect(outcomes).toMatchObject([
      { before: { id: 1n, name: 'plant 1' }, after: { deleted: true } },
      stored,
      stored,
      { before: undefined, after: undefined },
      { stored: false, existing: { ...orchard, id: 1n } },
      stored,
      { before: { ...orchard, id: 2n }, after: { id: 2n, deleted: true } },
    ]);
    expect(await ids()).toEqual([
      ['1 deleted', '2', '3'],
      ['1', '2 deleted'],
    ]);
  });

  describe.skipIf(kind === 'citus')('have an order of changes', () => {
    const last = async () => {
      const { plant, garden } = opened.stores;
      return [(await plant.lastChange()).number ?? 0, (await garden.lastChange()).number ?? 0] as const;
    };

    it('that is one order: each write comes after earlier ones, in either table', async () => {
      await write(plantOf(1n));
      await write(gardenOf(1n));
      const [plants, gardens] = await last();
      expect(gardens).toBeGreaterThan(plants);
      await write(removal('plant', 1n));
      expect((await last())[0]).toBeGreaterThan(gardens);
      await write(gardenOf(2n), plantOf(2n), removal('garden', 2n), removal('plant', 2n));
      const numbers = await opened.testDatabase.query<{ number: string }>(
        `SELECT CAST(change_place AS TEXT) AS number FROM plants UNION ALL SELECT CAST(change_place AS TEXT) FROM gardens`,
      );
      expect(new Set(numbers.map(({ number }) => number)).size).toBe(numbers.length);
    });

    it('of which each follower gets only its resource, from any position', async () => {
      const { plant, garden } = opened.stores;
      await write(plantOf(1n), gardenOf(1n));
      const start = await plant.lastChange();
      await write(gardenOf(2n), gardenOf(3n));
      expect((await plant.listChanges(start, limits)).changes).toEqual([]);
      await write(plantOf(4n), removal('garden', 2n));
      const ofPlants = await plant.listChanges(start, limits);
      expect(ofPlants.changes.map(({ record }) => record.id)).toEqual([4n]);
      const first = await garden.listChanges(undefined, limits);
      // PostgreSQL looks for records without a number first.
      const { changes } = first.changes.length > 0 ? first : await garden.listChanges(first.last, limits);
      expect(changes.map(({ record }) => record.id)).toEqual([1n, 3n, 2n]);
      expect(changes[1]?.record).toEqual({ ...orchard, id: 3n, addedAt: expect.any(Number) });
    });
  });

  it.runIf(kind === 'sqlite')('are all or nothing in one call, as `writesTogether` says', async () => {
    const { database, testDatabase, stores } = opened;
    expect(database.writesTogether).toBe(true);
    await testDatabase.query(
      `CREATE TRIGGER bad BEFORE INSERT ON plants WHEN NEW.name = 'bad' BEGIN SELECT RAISE(ABORT, 'bad'); END`,
    );
    const writes = [gardenOf(1n), plantOf(1n, 'bad'), removal('garden', 1n)];
    await expect(database.write(writes)).rejects.toThrow('bad');
    expect(await stores.garden.find([1n])).toEqual([]);
  });
});
