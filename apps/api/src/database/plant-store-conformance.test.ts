import { INT64_MAX, INT64_MIN, type NewPlant } from '@plant-store/contract';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, openTestDatabase } from '../../test/support/database/create-test-database.js';
import { engines } from '../../test/support/database/engines.js';
import { outageKinds, type TestDatabase } from '../../test/support/database/test-database.js';
import type { PlantStore } from '../plants/plant-store.js';
import type { Database } from './database.js';

const stored = { stored: true };
const refused = (existing: NewPlant) => ({ stored: false, existing });
const plantsOf = (...ids: bigint[]): NewPlant[] => ids.map((id) => ({ id, name: `plant ${id}` }));
const roomy = { plants: 1_000, bytes: 2 ** 20 };

describe.each(engines)('a store of plants on %s', (engine) => {
  let testDatabase: TestDatabase;
  let database: Database;
  let store: PlantStore;
  beforeAll(async () => {
    testDatabase = await createTestDatabase(engine);
    database = await openTestDatabase(testDatabase, { DATABASE_STATEMENT_TIMEOUT_MS: '2000' });
    store = database.plants;
  });
  afterEach(() => testDatabase.query('DELETE FROM plants'));
  afterAll(async () => {
    await database.close();
    await testDatabase.remove();
  });

  const readAll = () => store.read(undefined, roomy);

  describe('insert', () => {
    it('stores many plants and answers each in order', async () => {
      const plants = [
        { id: INT64_MAX, name: 'last', tag: '' },
        { id: INT64_MIN, name: 'first' },
        { id: 9007199254740993n, name: '"quotes", \\ and \u0001', tag: '🌱' },
        { id: 0n, name: '' },
        { id: -1n, name: "{a,b},'NULL',\\x00", tag: 'NULL' },
      ];
      expect(await store.insert(plants)).toEqual(plants.map(() => stored));
      expect(await store.insert(plants)).toEqual(plants.map(refused));
      expect(await readAll()).toEqual(plants.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
    });

    it('answers one call as it would one plant after the other', async () => {
      await store.insert([{ id: 1n, name: 'old' }]);
      const outcomes = await store.insert([
        { id: 1n, name: 'new' },
        { id: 2n, name: 'first' },
        { id: 2n, name: 'second' },
        { id: 3n, name: 'other' },
        { id: 1n, name: 'old' },
        { id: 2n, name: 'first' },
      ]);
      const old = refused({ id: 1n, name: 'old' });
      const first = refused({ id: 2n, name: 'first' });
      expect(outcomes).toEqual([old, stored, first, stored, old, first]);
      expect(await readAll()).toEqual([
        { id: 1n, name: 'old' },
        { id: 2n, name: 'first' },
        { id: 3n, name: 'other' },
      ]);
    });

    it('lets the first plant of an id win within one call, though its id comes out of order', async () => {
      const plants = [
        { id: 5n, name: 'a' },
        { id: 4n, name: 'b' },
        { id: 5n, name: 'c' },
        { id: 4n, name: 'd' },
      ];
      expect(await store.insert(plants)).toEqual([
        stored,
        stored,
        refused({ id: 5n, name: 'a' }),
        refused({ id: 4n, name: 'b' }),
      ]);
    });

    it('tells a plant without a tag from one with an empty tag', async () => {
      await store.insert([{ id: 1n, name: 'n' }]);
      await store.insert([{ id: 2n, name: 'n', tag: '' }]);
      expect(await store.insert([{ id: 1n, name: 'n', tag: '' }])).toStrictEqual([
        refused({ id: 1n, name: 'n' }),
      ]);
      expect(await store.insert([{ id: 2n, name: 'n' }])).toStrictEqual([
        refused({ id: 2n, name: 'n', tag: '' }),
      ]);
    });

    it('stores nothing for nothing', async () => {
      expect(await store.insert([])).toEqual([]);
      expect(await readAll()).toEqual([]);
    });

    it('stores as many plants as one commit may have, and finds each taken', async () => {
      const plants = Array.from({ length: 1_000 }, (_, index) => ({
        id: BigInt(index),
        name: 'x'.repeat(100),
      }));
      expect(await store.insert(plants)).toEqual(plants.map(() => stored));
      expect(await store.insert(plants)).toEqual(plants.map(refused));
    });

    it('stores all plants of a call or none', async () => {
      await testDatabase.query('CREATE UNIQUE INDEX one_of_a_name ON plants (name)');
      onTestFinished(async () => void (await testDatabase.query('DROP INDEX one_of_a_name')));
      const plants = [1n, 2n, 3n].map((id) => ({ id, name: id === 3n ? 'twice' : `${id}` }));
      await store.insert([{ id: 9n, name: 'twice' }]);
      await expect(store.insert(plants)).rejects.toThrow(/unique/i);
      expect(await readAll()).toEqual([{ id: 9n, name: 'twice' }]);
    });

    it('lets one plant win of many calls at once', async () => {
      const calls = Array.from({ length: 20 }, (_, call) =>
        store.insert([1n, 2n, 3n].map((id) => ({ id, name: `of call ${call}` }))),
      );
      const outcomes = (await Promise.all(calls)).flat();
      expect(outcomes.filter((outcome) => outcome.stored)).toHaveLength(3);
      const kept = await readAll();
      for (const [index, outcome] of outcomes.entries()) {
        if (!outcome.stored) expect(outcome.existing).toEqual(kept[index % 3]);
      }
    });

    it.each(outageKinds)('says that the database is unavailable, and stores later (%s)', async (kind) => {
      const endOutage = await testDatabase.beginOutage(kind);
      await expect(store.insert(plantsOf(1n))).rejects.toMatchObject({
        errorName: 'database_unavailable',
        headers: { 'Retry-After': '1' },
        cause: expect.anything(),
      });
      await endOutage();
      expect(await store.insert(plantsOf(1n))).toEqual([stored]);
    });
  });

  describe('read', () => {
    it('gives nothing of an empty store', async () => {
      expect(await readAll()).toEqual([]);
    });

    it('pages through all plants in the order of their ids, from the least to the largest', async () => {
      const plants = plantsOf(INT64_MIN, -2n, -1n, 0n, 1n, 10n, 9007199254740993n, INT64_MAX);
      await store.insert(plants.toReversed());
      const limits = { ...roomy, plants: 3 };
      const first = await store.read(undefined, limits);
      const second = await store.read(first.at(-1)?.id, limits);
      const third = await store.read(second.at(-1)?.id, limits);
      expect([first, second, third].map(({ length }) => length)).toEqual([3, 3, 2]);
      expect([...first, ...second, ...third]).toStrictEqual(plants);
      expect(await store.read(INT64_MAX, limits)).toEqual([]);
    });

    it('begins after an id that no plant has', async () => {
      await store.insert(plantsOf(-5n, 5n));
      expect(await store.read(-6n, roomy)).toEqual(plantsOf(-5n, 5n));
      expect(await store.read(-5n, roomy)).toEqual(plantsOf(5n));
      expect(await store.read(0n, roomy)).toEqual(plantsOf(5n));
      expect(await store.read(6n, roomy)).toEqual([]);
      expect(await store.read(INT64_MIN, roomy)).toEqual(plantsOf(-5n, 5n));
    });

    it.each([
      { bytes: 0, count: 1 },
      { bytes: 8, count: 1 },
      { bytes: 9, count: 1 },
      { bytes: 10, count: 2 },
      { bytes: 11, count: 2 },
      { bytes: 12, count: 3 },
    ])(
      'gives the first $count of plants of 7, 3 and 2 bytes within $bytes bytes',
      async ({ bytes, count }) => {
        const plants = [
          { id: 1n, name: '🌱é', tag: 'a' },
          { id: 2n, name: '苗' },
          { id: 3n, name: '', tag: 'bc' },
        ];
        await store.insert(plants);
        expect(await store.read(undefined, { ...roomy, bytes })).toStrictEqual(plants.slice(0, count));
      },
    );

    it('gives a plant larger than the limit alone', async () => {
      const plants = [1n, 2n, 3n].map((id) => ({ id, name: id === 2n ? 'x'.repeat(2_000) : 'x' }));
      await store.insert(plants);
      const limits = { ...roomy, bytes: 1_000 };
      expect(await store.read(undefined, limits)).toEqual(plants.slice(0, 1));
      expect(await store.read(1n, limits)).toEqual(plants.slice(1, 2));
      expect(await store.read(2n, limits)).toEqual(plants.slice(2));
    });

    it('throws what it is when it is not that the database does not answer', async () => {
      await testDatabase.query('ALTER TABLE plants RENAME TO elsewhere');
      const fault = readAll();
      await expect(fault).rejects.toThrow(/plants/);
      await expect(fault).rejects.not.toMatchObject({ errorName: 'database_unavailable' });
      await testDatabase.query('ALTER TABLE elsewhere RENAME TO plants');
      expect(await readAll()).toEqual([]);
    });
  });

  it('keeps any text that a plant may have to the letter', async () => {
    const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', ''));
    let id = 0n;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ name: text, tag: text }), { minLength: 1 }), async (texts) => {
        const plants = texts.map((record) => ({ id: id++, ...record }));
        await store.insert(plants);
        const before = (plants[0]?.id ?? 0n) - 1n;
        expect(await store.read(before, roomy)).toStrictEqual(plants);
      }),
      { numRuns: 50 },
    );
  });
});
