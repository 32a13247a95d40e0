import { createDatabase } from '@plant-store/postgresql-server';
import { expect, inject, it } from 'vitest';
import { plantLine } from '../support/process/plant-lines.js';
import { failed, imported, startStore, succeeded } from '../support/process/run-command.js';
import { useCommands } from '../support/process/run-in-process.js';

const time = '"addedAt":"2026-11-25T10:00:00.000Z"';
const fern = `{"id":1,"name":"Fern","tag":"outdoor",${time}}\n`;
const original = /,"original":"[\w-]{43}"(?=\})/;

/** A store with the fern. */
async function createStore(environment = {}) {
  const { folder, run } = useCommands(environment);
  await run('import', fern);
  return { folder, run, exportAll: async () => (await run('export')).stdout };
}

it('updates what is given, and prints the plant as export does', async () => {
  const { run, exportAll } = await createStore();
  for (const [options, texts] of [
    ['--name Ivy', '"name":"Ivy","tag":"outdoor",'],
    ['--tag ', '"name":"Ivy","tag":"",'],
    ['--no-tag', '"name":"Ivy",'],
    ['--name Fern --tag outdoor', '"name":"Fern","tag":"outdoor",'],
  ] as const) {
    const { exitCode, stdout, stderr } = await run(`update 1 ${options}`);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout.replace(original, '')).toBe(`{"id":1,${texts}${time}}\n`);
    expect(await exportAll()).toBe(stdout);
    expect(await run(`update 1 ${options}`)).toEqual(succeeded(stdout));
  }
  await run('import', plantLine(2));
  // A plant that is as it was created needs no more.
  expect((await run('update 2 --no-tag')).stdout).not.toMatch(original);
});

it('fails where there is no such plant, and gives no id again', async () => {
  const { run, exportAll } = await createStore();
  await run('delete 1');
  const before = await exportAll();
  for (const id of ['1', '-7', '9223372036854775807'])
    expect(await run(`update ${id} --name Ivy`)).toEqual(failed(`plant-store: There is no plant ${id}.\n`));
  expect(await exportAll()).toBe(before);
});

it('updates while a service uses the same file, which reverts nothing at a late retry of the create', async () => {
  const { folder, command, client } = await startStore();
  const create = async (name: string) => {
    const { status, replayed } = await client.createPlant({ body: { id: 1, name } });
    return [status, replayed];
  };
  expect(await create('Fren')).toEqual([200, false]);
  expect((await useCommands({}, folder).run('update 1 --name Fern')).exitCode).toBe(0);
  expect(await create('Fren')).toEqual([200, true]);
  expect(await create('Fern')).toEqual([400, false]);
  expect((await client.getPlant({ params: { id: 1 } })).body).toMatchObject({ name: 'Fern' });
  expect((await command.end('SIGTERM')).exitCode).toBe(0);
});

const openStores = { SQLite: () => '', PostgreSQL: () => createDatabase(inject('postgresqlUrl')) };

it.each([
  ['SQLite', 'PostgreSQL'],
  ['PostgreSQL', 'SQLite'],
] as const)('what it was created as is kept from %s to %s and back', async (from, to) => {
  const open = async (engine: keyof typeof openStores) => {
    const url = await openStores[engine]();
    return useCommands(url === '' ? {} : { DATABASE_URL: url });
  };
  const source = await open(from);
  await source.run('import', fern + plantLine(2) + plantLine(3));
  for (const line of ['update 1 --name Ivy', 'update 3 --tag x', 'delete 3']) await source.run(line);
  const { stdout: exported } = await source.run('export');
  expect(exported.match(RegExp(original, 'g'))).toHaveLength(1);
  for (const engine of [to, from]) {
    const target = await open(engine);
    expect(await target.run('import', exported)).toEqual(imported(3));
    expect(await target.run('import', exported)).toEqual(imported(0, 3));
    // A file from before the update reverts nothing.
    expect(await target.run('import', fern)).toEqual(imported(0, 1));
    expect((await target.run('export')).stdout).toBe(exported);
  }
});

it('brings deleted plants back from an export', async () => {
  const { run, exportAll } = await createStore();
  await run('update 1 --name Ivy');
  const exported = await exportAll();
  await run('delete 1');
  expect(await run('import', exported)).toEqual(failed(/\n0 imported, 0 already there, 1 bad\n/));
  const reuse = 'import --reuse-deleted-ids';
  expect(await run(reuse, exported)).toEqual(imported(1));
  expect(await exportAll()).toBe(exported);
  expect(await run(reuse, exported)).toEqual(imported(0, 1));
});
