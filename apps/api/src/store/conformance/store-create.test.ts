import { readFileSync } from 'node:fs';
import { INT64_MAX, INT64_MIN, type NewPlant } from '@plant-store/contract';
import { describe, expect, it, onTestFinished } from 'vitest';
import { enginesOfStore, type TestEngine } from '../../../test/support/database/engines.js';
import { outageKinds } from '../../../test/support/database/test-database.js';
import { usePlantStore } from '../../../test/support/database/use-plant-store.js';
import { packageFolder } from '../../package-folder.js';
import { plantTable } from '../../plants/plant-store.js';
import { orThrow } from '../store.js';

const uniqueName = 'CREATE UNIQUE INDEX one_of_a_name ON plants (name)';
const stored = { stored: true };
const taken = (existing: NewPlant) => ({
  stored: false,
  existing: { ...existing, addedAt: expect.any(Number) },
});

/** How to make an engine reject another plant whose name is `twice`, and which plants of a call share a commit with it. */
const rejectTwice: Readonly<Record<TestEngine, { make: string; drop: string }>> = {
  sqlite: { make: uniqueName, drop: 'DROP INDEX one_of_a_name' },
  postgresql: { make: uniqueName, drop: 'DROP INDEX one_of_a_name' },
  // A distributed table can have no such index.
  citus: {
    make: `ALTER TABLE plants ADD CONSTRAINT one_of_a_name CHECK (id = 99 OR name <> 'twice')`,
    drop: 'ALTER TABLE plants DROP CONSTRAINT one_of_a_name',
  },
};

/** The columns of the engine's own catalog, by their names: whether a row always has a value. */
const catalogs = {
  sqlite: `SELECT name, "notnull" OR pk AS required FROM pragma_table_info('plants') ORDER BY name`,
  postgresql: `SELECT column_name AS name, is_nullable = 'NO' AS required FROM information_schema.columns
    WHERE table_name = 'plants' AND table_schema = current_schema() ORDER BY column_name`,
};

/** Those of the list of fields, and of what a table has beside them. */
const expected = plantTable.columns
  .map((name) => ({ name, required: ['id', 'deleted', ...plantTable.required].includes(name) }))
  .toSorted((a, b) => (a.name < b.name ? -1 : 1));

describe.each(enginesOfStore())('creating plants on %s', (engine) => {
  const { store, testDatabase, readAll } = usePlantStore(engine);

  it('has a column for each field', async () => {
    await store.find([]);
    const columns = await testDatabase.query<{ name: string; required: unknown }>(
      catalogs[engine === 'sqlite' ? 'sqlite' : 'postgresql'],
    );
    expect(columns.map(({ name, required }) => ({ name, required: Boolean(required) }))).toEqual(expected);
  });

  it('stores many plants and returns an outcome for each in order', async () => {
    const plants = [
      { id: INT64_MAX, name: 'last', tag: '' },
      { id: INT64_MIN, name: 'first' },
      { id: 9007199254740993n, name: '"quotes", \\ and \u0001', tag: '🌱' },
      { id: 0n, name: '' },
      { id: -1n, name: "{a,b},'NULL',\\x00", tag: 'NULL' },
    ];
    expect(await store.create(plants)).toEqual(plants.map(() => stored));
    expect(await store.create(plants)).toEqual(plants.map(taken));
    expect(await readAll()).toEqual(plants.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  });

  it('resolves one call like a sequence of calls with one plant each', async () => {
    await store.create([{ id: 1n, name: 'old' }]);
    const outcomes = await store.create([
      { id: 1n, name: 'new' },
      { id: 2n, name: 'first' },
      { id: 2n, name: 'second' },
      { id: 3n, name: 'other' },
      { id: 1n, name: 'old' },
      { id: 2n, name: 'first' },
    ]);
    const old = taken({ id: 1n, name: 'old' });
    const first = taken({ id: 2n, name: 'first' });
    expect(outcomes).toEqual([old, stored, first, stored, old, first]);
    expect(await readAll()).toEqual([
      { id: 1n, name: 'old' },
      { id: 2n, name: 'first' },
      { id: 3n, name: 'other' },
    ]);
  });

  it('stores the first plant of an id within one call, even if the ids are not in order', async () => {
    const plants = [
      { id: 5n, name: 'a' },
      { id: 4n, name: 'b' },
      { id: 5n, name: 'c' },
      { id: 4n, name: 'd' },
    ];
    expect(await store.create(plants)).toEqual([
      stored,
      stored,
      taken({ id: 5n, name: 'a' }),
      taken({ id: 4n, name: 'b' }),
    ]);
  });

  it('stores those of many plants whose ids are free, whichever are taken or come twice', async () => {
    const plants = Array.from({ length: 60 }, (_, id) => ({ id: BigInt(id), name: `${id}` }));
    const before = [5n, 20n, 21n, 47n];
    await store.create(before.map((id) => ({ id, name: 'before' })));
    const again = { id: 35n, name: 'again' };
    const outcomes = await store.create([...plants.slice(0, 40), again, ...plants.slice(40)]);
    const expected = plants.map(({ id }) => (before.includes(id) ? taken({ id, name: 'before' }) : stored));
    expect(outcomes).toEqual([
      ...expected.slice(0, 40),
      taken({ id: 35n, name: '35' }),
      ...expected.slice(40),
    ]);
    expect(await readAll()).toEqual(
      plants.map((plant) => (before.includes(plant.id) ? { id: plant.id, name: 'before' } : plant)),
    );
  });

  it('distinguishes a plant without a tag from one with an empty tag', async () => {
    await store.create([{ id: 1n, name: 'n' }]);
    await store.create([{ id: 2n, name: 'n', tag: '' }]);
    expect(await store.create([{ id: 1n, name: 'n', tag: '' }])).toEqual([taken({ id: 1n, name: 'n' })]);
    expect(await store.create([{ id: 2n, name: 'n' }])).toEqual([taken({ id: 2n, name: 'n', tag: '' })]);
  });

  it('stores nothing when given no plants', async () => {
    expect(await store.create([])).toEqual([]);
    expect(await readAll()).toEqual([]);
  });

  it('stores as many plants as a batch may have, and then finds each id taken', async () => {
    const plants = Array.from({ length: 1_000 }, (_, index) => ({
      id: BigInt(index),
      name: 'x'.repeat(100),
    }));
    expect(await store.create(plants)).toEqual(plants.map(() => stored));
    expect(await store.create(plants)).toEqual(plants.map(taken));
  });

  it('stores none of the plants of a commit that fails', async () => {
    const plants = Array.from({ length: 20 }, (_, id) => ({
      id: BigInt(id),
      name: `${id === 7 ? 'twice' : id}`,
    }));
    const { make, drop } = rejectTwice[engine];
    await store.create([{ id: 99n, name: 'twice' }]);
    await testDatabase.query(make);
    onTestFinished(async () => void (await testDatabase.query(drop)));
    const outcomes = await store.create(plants).catch((error: unknown) => plants.map(() => error));
    const { cause = outcomes[7] } = outcomes[7] as Error;
    expect(String(cause)).toMatch(/unique|check/i);
    // A distributed database commits them apart, and returns an error for each that it rejects.
    const others = engine === 'citus' ? plants.filter(({ id }) => id !== 7n) : [];
    expect(await readAll()).toEqual([...others, { id: 99n, name: 'twice' }]);
  });

  it('stores one plant per id out of many concurrent calls', async () => {
    const ids = [1n, 2n, 3n];
    const calls = Array.from({ length: 20 }, (_, call) =>
      store.create(ids.map((id) => ({ id, name: `of call ${call}` }))),
    );
    const outcomes = (await Promise.all(calls)).flat().map(orThrow);
    expect(outcomes.filter((outcome) => outcome.stored)).toHaveLength(3);
    const kept = new Map((await store.find(ids)).map((record) => [record.id, record]));
    for (const [index, outcome] of outcomes.entries()) {
      if (!outcome.stored) expect(outcome.existing).toEqual(kept.get(ids[index % 3] ?? 0n));
    }
  });

  it.each(outageKinds)(
    'rejects with database_unavailable during an outage, and stores after it (%s)',
    async (kind) => {
      const create = () => store.create([{ id: 1n, name: 'Fern' }]).then(([outcome]) => orThrow(outcome));
      const endOutage = await testDatabase.beginOutage(kind);
      const attempt = await create().catch((error: unknown) => error);
      await endOutage();
      expect(attempt).toMatchObject({
        errorName: 'database_unavailable',
        headers: { 'Retry-After': '1' },
        cause: expect.anything(),
      });
      await expect.poll(() => create().catch(String)).toEqual(stored);
    },
  );
});

it.each(['sqlite', 'postgresql'])('the model of Prisma on %s has them, too', (engine) => {
  const schema = readFileSync(new URL(`prisma/${engine}/schema.prisma`, packageFolder), 'utf8');
  const [, model = ''] = /^model Plant \{\n(.*?)\n\}/ms.exec(schema) ?? [];
  const columns = [...model.matchAll(/^ {2}(\w+) +\w+(\??)(?:.*@map\("(\w+)"\))?/gm)].map(
    ([, field = '', optional, column = field]) => ({ name: column, required: optional === '' }),
  );
  expect(columns.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(expected);
});
