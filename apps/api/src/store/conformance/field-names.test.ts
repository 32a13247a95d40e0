import { boolean, int64, type Resource, text } from '@plant-store/contract/resource';
import type { ListQuery } from '@plant-store/records';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, openTestDatabase } from '../../../test/support/database/create-test-database.js';
import { enginesOfStore } from '../../../test/support/database/engines.js';
import type { RecordStore } from '../store.js';
import { allTables, tableOf } from '../table.js';

// Names that statements of the stores have, too, or that are words of SQL.
const texts = ['place', 'durable', 'madeBy', 'select', 'generation', 'value'];
const integers = ['bytes', 'total', 'number', 'isLast', 'isEnd', 'nextBytes', 'bytesLeft', 'base', 'count'];
const fieldsOf = <Value>(names: readonly string[], value: Value) =>
  Object.fromEntries(names.map((name) => [name, value]));

const about = { label: 'Field', description: 'A field', filter: true };
const parcel: Resource = {
  name: 'parcel',
  plural: 'parcels',
  fields: {
    matches: boolean({ ...about, example: true }),
    ...fieldsOf(integers, int64({ ...about, example: 1 })),
    ...fieldsOf(texts, text({ ...about, example: 'a', search: true })),
  },
};

const large = 10_000_000n;
const recordOf = (id: bigint) => ({
  id,
  matches: false,
  ...fieldsOf(integers, large),
  ...fieldsOf(texts, 'Depot'),
});

describe.each(enginesOfStore())('fields of any name on %s', (engine) => {
  let store: RecordStore;
  let close: () => Promise<unknown>;
  beforeAll(async () => {
    const testDatabase = await createTestDatabase(engine, [parcel]);
    const tables = [...allTables, tableOf(parcel)];
    const database = await openTestDatabase(testDatabase, {}, {}, { tables });
    store = (database.stores as unknown as Readonly<Record<string, RecordStore>>)['parcel'] as RecordStore;
    close = () => database.close().then(testDatabase.remove);
    await store.create([1n, 2n, 3n].map(recordOf));
  });
  afterAll(() => close());

  const limits = { matches: 2, bytes: 1_000_000 };
  const ids = async (query: ListQuery) => {
    const { records, last } = await store.list(query, limits);
    expect(records).toMatchObject(records.map(({ id }) => recordOf(id)));
    return [...records.map(({ id }) => id), last?.id];
  };

  it('are listed, filtered, searched, and counted', async () => {
    expect(await ids({ order: 'newest' })).toEqual([3n, 2n, 2n]);
    const values = { ...fieldsOf(integers, large), ...fieldsOf(texts, 'Depot'), matches: 0 };
    for (const [name, value] of Object.entries(values))
      expect(await ids({ order: 'id', equal: { [name]: [value] } }), name).toEqual([1n, 2n, 2n]);
    expect(await ids({ order: 'id', equal: { total: [1n] } })).toEqual([undefined]);
    expect(await ids({ order: 'id', q: 'depot' })).toEqual([1n, 2n, 2n]);
    for (const field of texts)
      expect((await store.countValues(field, undefined, 10)).counts).toEqual([['Depot', 3]]);
  });

  it('are changed, deleted, and listed as changes', async () => {
    await store.change([
      { id: 1n, bytes: 0, replace: (record) => ({ ...record, ...recordOf(1n), total: 7n }) },
      { id: 2n, bytes: 0, replace: () => ({ id: 2n, deleted: true }) },
    ]);
    expect(await store.find([1n, 2n])).toMatchObject([
      { ...recordOf(1n), total: 7n },
      { id: 2n, deleted: true },
    ]);
    const first = await store.listChanges(undefined, { ...limits, matches: 10 });
    // PostgreSQL looks for records without a number first.
    const { changes } =
      first.changes.length > 0 ? first : await store.listChanges(first.last, { ...limits, matches: 10 });
    expect(changes.map(({ record }) => record.id)).toEqual([3n, 1n, 2n]);
  });
});
