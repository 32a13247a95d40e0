import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase } from '@plant-store/postgresql-server';
import { expect, inject, it } from 'vitest';
import type {} from '../support/postgresql/global-setup.js';
import { succeeded } from '../support/process/run-command.js';
import { useCommands } from '../support/process/run-in-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const [min, max] = ['-9223372036854775808', '9223372036854775807'];
const time = '"addedAt":"2026-11-25T10:00:00.000Z"';
const fern = `{"id":1,"name":"Fern","tag":"outdoor",${time}}\n`;
const kew = `{"resource":"garden","id":1,"name":"Kew","area":${min},"isOpen":true,"plantedAt":"1759-01-01T00:00:00.007Z","plantIds":[7,${max},${min}],${time}}\n`;
const hill = `{"resource":"garden","id":${max},"name":"Hill","isOpen":false,"plantIds":[],${time}}\n`;
const deleted = '{"resource":"garden","id":3,"deleted":true}\n';
// In the order of ids.
const gardens = kew + deleted + hill;

const engines = ['sqlite', 'postgresql'] as const;
async function open(engine: (typeof engines)[number], folder = temporaryFolder()) {
  if (engine === 'sqlite') return useCommands({}, folder);
  return useCommands({ DATABASE_URL: await createDatabase(inject('postgresqlUrl')) }, folder);
}

it.each(engines)('moves gardens beside plants with each command of %s', async (engine) => {
  const { run } = await open(engine);
  expect(await run('import', fern + gardens)).toEqual(succeeded('', '4 imported, 0 already there, 0 bad\n'));
  expect(await run('import', gardens)).toEqual(succeeded('', '0 imported, 3 already there, 0 bad\n'));
  expect(await run('export')).toEqual(succeeded(fern + gardens, '1 plant, 2 gardens exported.\n'));
  expect(await run('export --resource gardens')).toEqual(succeeded(gardens, '2 gardens exported.\n'));
  expect((await run('list --resource gardens')).stdout).toContain('Hill');
  expect((await run(`show ${max} --resource garden`)).stdout).toContain('Hill');
  expect((await run('show 1 --resource garden')).stdout).toContain(min);
  const update = `update 1 --resource garden --is-open false --no-area --plant-ids ${max}`;
  expect(await run(update)).toMatchObject({ exitCode: 0 });
  expect((await run('export --resource garden')).stdout).toContain(
    `"isOpen":false,"plantedAt":"1759-01-01T00:00:00.007Z","plantIds":[${max}]`,
  );
  expect(await run('delete 1 --resource garden')).toMatchObject({ exitCode: 0 });
  expect((await run('export --resource plant')).stdout).toBe(fern);
  expect((await run('export --resource garden')).stderr).toBe('1 garden exported.\n');
});

it('moves from SQLite to PostgreSQL and back, and into a backup', async () => {
  const { folder, run } = await open('sqlite');
  await run('import', fern + gardens);
  const target = await open('postgresql', folder);
  expect((await target.run('import', (await run('export')).stdout)).stderr).toContain('4 imported');
  expect((await target.run('export')).stdout).toBe(fern + gardens);
  const csv = await target.run('export --resource garden --format csv');
  const back = await open('sqlite');
  writeFileSync(join(back.folder, 'gardens.csv'), csv.stdout);
  expect(await back.run('import --resource garden gardens.csv')).toMatchObject({ exitCode: 0 });
  expect((await back.run('export')).stdout).toBe(kew + hill);
  expect((await run('backup copy.db')).stderr).toMatch(/^Copied 1 plant(,| and) 2 gardens to /);
  await run(`delete ${max} --resource garden`);
  expect(await run('restore copy.db')).toMatchObject({ exitCode: 0 });
  expect((await run('export')).stdout).toBe(fern + gardens);
});
