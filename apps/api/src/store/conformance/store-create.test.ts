import { readFileSync } from 'node:fs';
import { INT64_MAX, INT64_MIN, type NewPlant } from '@plant-store/contract';
import { describe, expect, it, onTestFinished } from 'vitest';
import { enginesOfStore } from '../../../test/support/database/engines.js';
import { usePlantStore } from '../../../test/support/database/use-plant-store.js';
import { plantsOf } from '../../../test/support/plants/plants-of.js';
import { packageFolder } from '../../package-folder.js';
import { plantTable } from '../../plants/plant-store.js';

const stored = { stored: true, addedAt: expect.any(Number) };
const taken = (plant: NewPlant) => ({ stored: false, existing: { ...plant, addedAt: expect.any(Number) } });

/** How to make an engine reject another plant whose name is `twice`. */
const rejectTwice = {
  sqlite: { make: 'CREATE UNIQUE INDEX one_of_a_name ON plants (name)', drop: 'DROP INDEX one_of_a_name' },
  postgresql: {
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

const required = plantTable.texts.filter((_, at) => plantTable.erasedTexts[at] !== null);

/** Those of the list of fields, and of what a table has beside them. */
const expected = [
  ...new Set([...plantTable.columns, ...plantTable.changeColumns, ...plantTable.historyColumns]),
]
  .map((name) => ({ name, required: ['id', 'deleted', ...required].includes(name) }))
  .toSorted((a, b) => (a.name < b.name ? -1 : 1));

describe.each(enginesOfStore())('creating plants on %s', (kind) => {
  const engine = kind === 'sqlite' ? 'sqlite' : 'postgresql';
  const { store, testDatabase, readAll } = usePlantStore(kind);

  it('has a column for each field', async () => {
    await store.find([]);
    const columns = await testDatabase.query<{ name: string; required: unknown }>(catalogs[engine]);
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
    expect(await store.create([])).toEqual([]);
  });

  it('resolves one call like a sequence of calls with one plant each, in any order of their ids', async () => {
    const plant = (id: bigint, name: string) => ({ id, name });
    await store.create([plant(1n, 'old')]);
    const plants = [
      ...[plant(1n, 'new'), plant(3n, 'a'), plant(2n, 'b'), plant(3n, 'c')],
      ...[plant(2n, 'd'), plant(4n, 'e'), plant(1n, 'old'), plant(3n, 'a')],
    ];
    const [old, a, b] = [taken(plant(1n, 'old')), taken(plant(3n, 'a')), taken(plant(2n, 'b'))];
    expect(await store.create(plants)).toEqual([old, stored, stored, a, b, stored, old, a]);
    expect(await readAll()).toEqual([plant(1n, 'old'), plant(2n, 'b'), plant(3n, 'a'), plant(4n, 'e')]);
  });

  it('stores those of many plants whose ids are free, whichever are taken or come twice', async () => {
    const plants = Array.from({ length: 60 }, (_, id) => ({ id: BigInt(id), name: `${id}` }));
    const before = [5n, 20n, 21n, 47n].map((id) => ({ id, name: 'before' }));
    await store.create(before);
    const again = { id: 35n, name: 'again' };
    const outcomes = await store.create([...plants.slice(0, 40), again, ...plants.slice(40)]);
    const existing = plants.map(({ id }) => before.find((plant) => plant.id === id));
    const expected: unknown[] = existing.map((plant) => (plant === undefined ? stored : taken(plant)));
    expect(outcomes).toEqual(expected.toSpliced(40, 0, taken({ id: 35n, name: '35' })));
    expect(await readAll()).toEqual(plants.map((plant, at) => existing[at] ?? plant));
  });

  it('stores as many plants as a batch may have, and then finds each id taken', async () => {
    const name = 'x'.repeat(100);
    const plants = Array.from({ length: 1_000 }, (_, index) => ({ id: BigInt(index), name }));
    expect(await store.create(plants)).toEqual(plants.map(() => stored));
    expect(await store.create(plants)).toEqual(plants.map(taken));
  });

  it('stores none of the plants of a commit that fails', async () => {
    const plants = plantsOf(...Array(20).keys()).with(7, { id: 7n, name: 'twice' });
    const { make, drop } = rejectTwice[engine];
    await store.create([{ id: 99n, name: 'twice' }]);
    await testDatabase.query(make);
    onTestFinished(async () => void (await testDatabase.query(drop)));
    const outcomes = await store.create(plants).catch((error: unknown) => plants.map(() => error));
    const { cause = outcomes[7] } = outcomes[7] as Error;
    expect(String(cause)).toMatch(/unique|check/i);
    // A distributed database commits them apart, and returns an error for each that it rejects.
    const others = kind === 'citus' ? plants.filter(({ id }) => id !== 7n) : [];
    expect(await readAll()).toEqual([...others, { id: 99n, name: 'twice' }]);
  });
});

it.each(['sqlite', 'postgresql'])('the model of Prisma on %s has them, too', (engine) => {
  const schema = readFileSync(new URL(`prisma/${engine}/schema.prisma`, packageFolder), 'utf8');
  const [, model = ''] = /^model Plant \{\n(.*?)\n\}/ms.exec(schema) ?? [];
  const columns = [...model.matchAll(/^ {2}(\w+) +\w+(\??)(?:.*@map\("(\w+)"\))?/gm)].map(
    ([, field = '', optional, column = field]) => ({ name: column, required: optional === '' }),
  );
  expect(columns.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(expected);
});
