import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { enginesOfStore } from '../../../test/support/database/engines.js';
import { usePlantStore } from '../../../test/support/database/use-plant-store.js';
import { packageFolder } from '../../package-folder.js';
import { plantTable } from '../../plants/plant-store.js';

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

describe.each(enginesOfStore())('the table of plants on %s', (engine) => {
  const { testDatabase, store } = usePlantStore(engine);

  it('has the columns of the fields, once it is migrated', async () => {
    await store.find([]);
    const columns = await testDatabase.query<{ name: string; required: unknown }>(
      catalogs[engine === 'sqlite' ? 'sqlite' : 'postgresql'],
    );
    expect(columns.map(({ name, required }) => ({ name, required: Boolean(required) }))).toEqual(expected);
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
