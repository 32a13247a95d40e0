import { isTombstone, removalOf } from '@plant-store/records';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { gardens } from '../../../../../packages/records/test/garden.js';
import { collect } from '../../../test/support/collect.js';
import { enginesOfStore, type TestEngine } from '../../../test/support/database/engines.js';
import { highPageLimits } from '../../../test/support/database/use-plant-store.js';
import { forgetGardens, openStores, tables } from '../../../test/support/database/use-stores.js';
import { createTestQueue } from '../../../test/support/plants/create-test-queue.js';
import { onInsert } from '../../../test/support/postgresql/use-connections.js';
import type { RecordStore, Write } from '../store.js';

forgetGardens();

const [orchard] = gardens;
const plantOf = (id: bigint): Write => ({ resource: 'plant', record: { id, name: `plant ${id}` } as never });
const gardenOf = (id: bigint, name = 'Orchard'): Write => ({
  resource: 'garden',
  record: { ...orchard, id, name } as never,
});
const removal = (resource: string, id: bigint): Write => ({ resource, change: removalOf<object>(id) });
const limits = { matches: 100, records: 100, bytes: 1e6 };
const stored = { stored: true, addedAt: expect.any(Number) };

function useStores(kind: TestEngine) {
  let opened: Awaited<ReturnType<typeof openStores>>;
  beforeAll(async () => {
    opened = await openStores(kind);
  });
  afterEach(async () => {
    for (const table of ['plants', 'gardens']) await opened.testDatabase.query(`DELETE FROM ${table}`);
  });
  afterAll(() => opened.close());
  const idsIn = async (store: Pick<RecordStore, 'read'>) =>
    (await collect(store.read(undefined, highPageLimits)))
      .flat()
      .map((record) => `${record.id}${isTombstone(record) ? ' deleted' : ''}`);
  return {
    get opened() {
      return opened;
    },
    write: (...writes: Write[]) => opened.database.write(writes),
    ids: async () => [await idsIn(opened.stores.plant), await idsIn(opened.stores.garden)],
  };
}

describe.each(enginesOfStore())('writes of several resources on %s', (kind) => {
  const use = useStores(kind);
  const { write, ids } = use;

  it('have one outcome each, in order, and creates come first', async () => {
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
    const plant = { id: 1n, name: 'plant 1' };
    expect(outcomes).toMatchObject([
      { before: plant, after: { deleted: true } },
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
    expect(await write()).toEqual([]);
  });

  it('do not affect the same id of another resource', async () => {
    await write(gardenOf(1n), plantOf(2n), removal('plant', 1n), removal('garden', 2n));
    expect(await ids()).toEqual([['2'], ['1']]);
    expect(await use.opened.stores.garden.find([2n])).toEqual([]);
    expect((await use.opened.stores.plant.list({ order: 'newest' }, limits)).records).toMatchObject([
      { id: 2n },
    ]);
  });

  it('of many records are all stored, even if some are equal', async () => {
    const writes = Array.from({ length: 100 }, (_, at) => (at % 3 === 0 ? gardenOf : plantOf)(BigInt(at)));
    const outcomes = await write(...writes);
    expect(outcomes.filter((outcome) => 'stored' in outcome && outcome.stored)).toHaveLength(100);
    expect((await write(...writes)).every((outcome) => 'stored' in outcome && !outcome.stored)).toBe(true);
    expect((await ids()).flat()).toHaveLength(100);
  });

  it('are rejected one by one by the queue', async () => {
    const { database, testDatabase, stores } = use.opened;
    await testDatabase.query(rejections[kind === 'sqlite' ? 'sqlite' : 'postgresql']);
    const queue = createTestQueue(database, { tables });
    const outcomes = await Promise.allSettled([
      queue.create('garden', { ...orchard, id: 1n }, 1),
      queue.create('plant', { id: 1n, name: 'bad' }, 1),
      queue.create('plant', { id: 2n, name: 'Fern' }, 1),
      queue.change('garden', removalOf<object>(9n, true), 1),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(await ids()).toEqual([['2'], ['1', '9 deleted']]);
    expect(await stores.plant.find([1n])).toEqual([]);
  });
});

/** Rejects plants with a name. */
const rejections = {
  sqlite: `CREATE TRIGGER bad BEFORE INSERT ON plants WHEN NEW.name = 'bad' BEGIN SELECT RAISE(ABORT, 'bad'); END`,
  postgresql: onInsert(
    `IF NEW.name = 'bad' THEN RAISE EXCEPTION 'bad' USING ERRCODE = 'check_violation'; END IF`,
  ),
};

describe.each(enginesOfStore().filter((kind) => kind !== 'citus'))(
  'the order of changes of several resources on %s',
  (kind) => {
    const use = useStores(kind);
    const { write } = use;
    const last = async () => {
      const { plant, garden } = use.opened.stores;
      return [(await plant.lastChange()).number ?? 0, (await garden.lastChange()).number ?? 0] as const;
    };

    it('is one order: each write comes after earlier ones, in either table', async () => {
      await write(plantOf(1n));
      await write(gardenOf(1n));
      const [plants, gardens] = await last();
      expect(gardens).toBeGreaterThan(plants);
      await write(removal('plant', 1n));
      expect((await last())[0]).toBeGreaterThan(gardens);
      await write(gardenOf(2n), plantOf(2n), removal('garden', 2n), removal('plant', 2n));
      const [ofPlants, ofGardens] = await last();
      expect(ofPlants).toBeGreaterThan(ofGardens);
      const numbers = await use.opened.testDatabase.query<{ number: string }>(
        `SELECT CAST(change_place AS TEXT) AS number FROM plants UNION ALL SELECT CAST(change_place AS TEXT) FROM gardens`,
      );
      expect(new Set(numbers.map(({ number }) => number)).size).toBe(numbers.length);
    });

    it('shows each follower only its resource, from any position', async () => {
      const { plant, garden } = use.opened.stores;
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
  },
);

// One transaction for all, as `writesTogether` says.
it.runIf(enginesOfStore().includes('sqlite'))(
  'SQLite stores none of several resources if one cannot be stored',
  async () => {
    const { database, testDatabase, stores, close } = await openStores('sqlite');
    await testDatabase.query(rejections.sqlite);
    const bad: Write = { resource: 'plant', record: { id: 1n, name: 'bad' } as never };
    await expect(database.write([gardenOf(1n), bad, removal('garden', 1n)])).rejects.toThrow('bad');
    expect(await stores.garden.find([1n])).toEqual([]);
    expect(database.writesTogether).toBe(true);
    await close();
  },
);
