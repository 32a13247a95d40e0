import { inspect } from 'node:util';
import { createClient } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';
import { errors, INT64_MAX } from '@plant-store/contract';
import { scopes } from '@plant-store/contract/access-token';
import { namesOf } from '@plant-store/contract/resource';
import { resources } from '@plant-store/contract/resources';
import { expect, it, onTestFinished, vi } from 'vitest';
import { triggerSql } from '../../scripts/create-sql.js';
import { type Config, parseConfig } from '../../src/config.js';
import { startService } from '../../src/service.js';
import type { Migration } from '../../src/store/migrations.js';
import { createTestDatabase } from '../support/database/create-test-database.js';
import { type Engine, engines } from '../support/database/engines.js';
import { silentLog } from '../support/open-app.js';
import { useCommands } from '../support/process/run-in-process.js';

// The definition of these tests has an optional text `imaginary`: see `addField` in vitest.config.ts.

vi.mock('../../src/store/migrations.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/store/migrations.js')>();
  const added = (engine: Engine): Migration => ({
    name: '29990101000000_add_imaginary_to_plants',
    sql: `ALTER TABLE plants ADD COLUMN imaginary TEXT; ALTER TABLE plants_history ADD COLUMN imaginary TEXT;
      ${engine === 'postgresql' ? triggerSql(resources.plant) : ''}`,
    checksum: '0'.repeat(64),
  });
  const readMigrations = (engine: Engine) => [...original.readMigrations(engine), added(engine)];
  return { ...original, readMigrations };
});

/** A plant with the field, which the types of these tests do not have. */
const located = (id: bigint, imaginary?: string) => {
  const texts = { name: 'Rose', ...(imaginary !== undefined && { imaginary }) };
  return { plant: { id, ...texts }, texts };
};

/** A service on an empty database, and a client of it. */
async function start(engine: Engine, settings: Readonly<Record<string, string>> = {}) {
  const database = await createTestDatabase(engine);
  const environment = { PORT: '0', PAGE: 'off', CLIENT: 'off', DATABASE_URL: database.url, ...settings };
  const config: Config = parseConfig(environment, '/');
  const service = await startService(config, silentLog);
  const { secret: token } = await service.accessTokens.issue({ name: 'test', scopes });
  const { baseUrl } = service;
  const { run } = useCommands(environment);
  onTestFinished(async () => void (await service.stop().finally(database.remove)));
  return { database, client: createClient({ baseUrl, token }), run };
}

it.each([...engines, 'fake'] as const)('a field comes back from each operation of %s', async (engine) => {
  const client = engine === 'fake' ? createClient(createFakePlantStore()) : (await start(engine)).client;
  const balcony = located(INT64_MAX, 'Balcony');
  const empty = located(2n, '');
  const none = located(3n);
  const created = await client.createPlant({ body: balcony.plant });
  expect(created).toMatchObject({ status: 200, body: balcony.texts });
  const wrong = [located(2n, 'Cellar').plant, { id: 4n, name: 'x', imaginary: 5 as never }];
  const plants = [balcony.plant, empty.plant, none.plant, ...wrong];
  const batch = await client.createPlants({ body: { plants } });
  expect(batch).toMatchObject({
    body: {
      results: [
        { replayed: true },
        { replayed: false },
        { replayed: false },
        { error: errors.id_taken.error },
        { error: errors.invalid_plant.error, message: expect.stringContaining('imaginary') },
      ],
    },
  });
  expect(await client.createPlant({ body: located(3n, '').plant })).toMatchObject({
    body: { error: errors.id_taken.error },
  });
  const found = await client.getPlant({ params: { id: INT64_MAX } });
  expect(found.body).toMatchObject(balcony.plant);
  const all = await client.listPlants();
  expect(all.body).toMatchObject({ plants: [empty.plant, none.plant, balcony.plant] });
  const first = await client.listPlants({ query: { limit: 1, q: 'rose' } });
  expect(first.body).toMatchObject({ plants: [empty.plant] });
  const params = { id: INT64_MAX };
  await client.updatePlant({ params, headers: { 'if-match': '*' }, body: none.texts });
  const history = await client.getPlantHistory({ params });
  expect(history.body).toMatchObject({ states: [none.texts, balcony.texts] });
});

it.each(engines)(
  'a field is exported, imported and listed, and erased with its plant, on %s',
  async (engine) => {
    const { database, client, run } = await start(engine);
    const lines =
      '{"id":1,"name":"Rose","imaginary":"Balcony","addedAt":null}\n{"id":2,"name":"Fern","addedAt":null}\n';
    expect(await run('import', lines)).toMatchObject({ stderr: '2 imported, 0 already there, 0 bad\n' });
    expect(await run('import', lines)).toMatchObject({ stderr: '0 imported, 2 already there, 0 bad\n' });
    expect(await run('import', lines.replace('Balcony', 'Cellar'))).toMatchObject({
      stderr: expect.stringContaining('\n0 imported, 1 already there, 1 bad\n'),
    });
    expect((await run('export')).stdout).toBe(lines);
    const plants: readonly Readonly<Record<string, string>>[] = [
      { id: '1', name: 'Rose', imaginary: 'Balcony' },
      { id: '2', name: 'Fern' },
    ];
    const columns = ['id', ...namesOf(resources.plant), 'addedAt'];
    const rows = plants.map((plant) => columns.map((column) => plant[column] ?? ''));
    const table = `\uFEFF${[columns, ...rows].map((row) => `${row}\r\n`).join('')}`;
    expect((await run('export --format csv')).stdout).toBe(table);
    expect(await run('import --format csv', 'IMAGINARY,id,name\nBalcony,1,Rose\n')).toMatchObject({
      stderr: '0 imported, 1 already there, 0 bad\n',
    });
    expect((await run('list')).stdout).toContain('Rose  [Balcony]\n');
    expect(await client.deletePlant({ params: { id: 1n } })).toMatchObject({ status: 204 });
    expect(await database.query('SELECT name, imaginary FROM plants WHERE id = 1')).toEqual([
      { name: '', imaginary: null },
    ]);
  },
);

it('a field that older instances would drop is ignored as they ignore it', async () => {
  const { client } = await start('sqlite', { COMPATIBLE_WITH: '8.9' });
  const plants = [located(2n, 'Cellar').plant];
  expect((await client.createPlant({ body: located(1n, 'Balcony').plant })).body).toEqual({ name: 'Rose' });
  expect(await client.createPlants({ body: { plants } })).toMatchObject({ status: 200 });
  const { body } = await client.listPlants();
  expect(body).toMatchObject({ plants: [{ id: 1n }, { id: 2n }] });
  expect(inspect(body, { depth: null })).not.toContain('imaginary');
});
