import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryStore, operationsOf, withoutTombstones } from '@plant-store/records';
import { expect, it, vi } from 'vitest';
import { type Garden, garden, newGardenSchema } from '../../../../packages/records/test/garden.js';
import { type RecordTypes, recordTypeOf, recordTypes } from '../../src/cli/formats.js';
import type { Database } from '../../src/store/database.js';
import * as openDatabase from '../../src/store/open-database.js';
import { openSqlite } from '../../src/store/sqlite/open-sqlite.js';
import type { RecordStore } from '../../src/store/store.js';
import { failed, imported, succeeded } from '../support/process/run-command.js';
import { useCommands } from '../support/process/run-in-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const digest = (text: string) => Buffer.from(text).toString('base64url').padEnd(43, 'x').slice(0, 43);
const platform = { digest, now: Date.now };
const gardenType = recordTypeOf(operationsOf<Garden>(garden, newGardenSchema, platform));
const types: RecordTypes = [recordTypes[0], gardenType];

/** A store in memory as commands use it. */
function createGardens(): RecordStore<Garden> {
  const store = createMemoryStore<Garden>(garden, platform);
  const ids = new Set<bigint>();
  const note = ({ id }: { readonly id: bigint }) => ids.add(id);
  const findAll = async (wanted: readonly bigint[]) =>
    (await Promise.all(wanted.map(store.find))).flatMap((found) => found ?? []);
  return {
    ...store,
    create: (records) => Promise.all(records.map((record) => note(record) && store.create(record))),
    change: (changes) => Promise.all(changes.map((change) => note(change) && store.change(change))),
    find: findAll,
    removeOldStates: async () => false,
    async findHistory(wanted) {
      const unknown = { addedAt: undefined, addedBy: undefined, changedAt: undefined, changedBy: undefined };
      return (await findAll(wanted)).map((record) => ({ record, ...unknown }));
    },
    async *read(after) {
      const rest = [...ids].filter((id) => after === undefined || id > after);
      const page = await findAll(rest.toSorted((a, b) => (a < b ? -1 : 1)));
      if (page.length > 0) yield page;
    },
  };
}

/** Commands that know both resources, on a new store of both. */
function useBoth() {
  const folder = temporaryFolder();
  const gardens = createGardens();
  const commands = useCommands({}, folder, types);
  return {
    folder,
    /** Fails unless the command is to open this database. */
    async run(line: string, input = '') {
      const opening = vi.spyOn(openDatabase, 'openDatabase').mockImplementation(async () => {
        const database = await openSqlite(join(folder, 'plant-store.db'));
        const stores = { ...database.stores, garden: gardens };
        return { ...database, stores } satisfies Database;
      });
      return commands.run(line, input).finally(() => opening.mockRestore());
    },
    gardens,
  };
}

const time = '"addedAt":"2026-11-25T10:00:00.000Z"';
const fern = `{"id":1,"name":"Fern","tag":"outdoor",${time}}\n`;
const orchard = `{"resource":"garden","id":1,"name":"Orchard","area":9007199254740993,"isOpen":true,"plantedAt":"2026-11-25T10:00:00.007Z","plantIds":[7,9223372036854775807],${time}}\n`;
const hill = `{"resource":"garden","id":2,"name":"Hill","isOpen":false,"plantIds":[],${time}}\n`;
const deleted = `{"resource":"garden","id":3,"deleted":true}\n`;
const all = fern + orchard + hill + deleted;

async function createBoth() {
  const both = useBoth();
  expect(await both.run('import', all)).toEqual(imported(4));
  return both;
}

const wrongUsage = (message: string) => failed(expect.stringContaining(message), '', 2);

it('moves the records of all resources, each as what it is, whatever their ids are', async () => {
  const { run } = await createBoth();
  expect(await run('export')).toEqual(succeeded(all, '1 plant, 2 gardens exported.\n'));
  expect(await run('import', all)).toEqual(imported(0, 4));
  const gardens = succeeded(orchard + hill + deleted, '2 gardens exported.\n');
  expect(await run('export --resource gardens')).toEqual(gardens);
  expect(await run('export --resource plant')).toEqual(succeeded(fern, '1 plant exported.\n'));
});

it('moves tables, each of one resource', async () => {
  const { run, folder } = await createBoth();
  expect(await run('export --format csv')).toEqual(wrongUsage('specify it with --resource <name>'));
  const { stdout } = await run('export --format csv --resource gardens');
  expect(stdout).toBe(`\uFEFFresource,id,name,area,isOpen,plantedAt,plantIds,addedAt\r
garden,1,Orchard,9007199254740993,true,2026-11-25T10:00:00.007Z,7 9223372036854775807,2026-11-25T10:00:00.000Z\r
garden,2,Hill,,false,,,2026-11-25T10:00:00.000Z\r\n`);
  const other = useBoth();
  const more = 'shed,3,Shed,,false,,,\r\n,4,Ivy,,,,,\r\ngarden,5,,,true,,,\r\n';
  writeFileSync(join(other.folder, 'gardens.csv'), stdout + more);
  expect(folder).not.toBe(other.folder);
  expect(await other.run('import gardens.csv')).toEqual(
    failed(
      `line 4: The line names an unknown resource, "shed". Known resources: plant, garden.
line 6: The garden is not valid: name is required.
3 imported, 0 already there, 2 bad
plant-store: 2 lines were invalid and skipped. Fix them and import the file again. Records that are already stored will not be changed.
`,
    ),
  );
  expect((await other.run('export')).stdout).toMatch(/^\{"id":4,"name":"Ivy",/);
  expect((await other.run('export --resource gardens')).stdout).toBe(orchard + hill);
});

it('takes no record of one resource for one of another, wherever the line names it', async () => {
  const line = '{"id":7,"name":"Ivy","isOpen":true,"plantIds":[],"\\u0072esource":"garden"}\n';
  const unknown =
    /^line 1: The line names an unknown resource, "garden"\. Known resources: plant\.\n0 imported/;
  expect(await useCommands().run('import', line)).toEqual(failed(unknown));
  const { run, gardens } = useBoth();
  expect(await run('import --resource plants', line)).toEqual(imported(0));
  expect(await run('import', line)).toEqual(imported(1));
  expect(withoutTombstones(await gardens.find([7n]))).toHaveLength(1);
  // And the other way round.
  expect(await run('import', '{"id":8,"name":"Ivy","isOpen":true,"plantIds":[]}\n')).toEqual(imported(1));
  expect(await gardens.find([8n])).toEqual([]);
});

it('rejects a resource that is no text, and reports values of another kind', async () => {
  const { run } = useBoth();
  const invalid = '{"resource":"garden","id":1,"name":"x","area":"1","isOpen":1,"plantIds":7}';
  expect(await run('import', `{"resource":5,"id":1,"name":"x"}\n${invalid}`)).toEqual(
    failed(
      /^line 1: The line is not valid: resource must be a string\.\nline 2: The garden is not valid: area must be an integer.*isOpen must be true or false; plantIds must be/,
    ),
  );
});

it('lists, shows and filters the records of a resource by its fields', async () => {
  const { run } = await createBoth();
  const list = async (options: string) =>
    (await run(`list --resource gardens --format ndjson ${options}`.trim())).stdout;
  expect((await run('list --format ndjson')).stdout).toBe(fern);
  expect(await list('')).toBe(orchard + hill);
  expect(await list('--area 9007199254740993')).toBe(orchard);
  expect(await list('--is-open false')).toBe(hill);
  expect(await list('--query ORCH')).toBe(orchard);
  expect(await run('list --resource gardens')).toEqual(
    succeeded(`\
ID                    ADDED                NAME  OPEN  PLANTS
1                     2026-11-25 10:00:00  Orchard  [area 9007199254740993]  true  [planted at 2026-11-25T10:00:00.007Z]  7 9223372036854775807
2                     2026-11-25 10:00:00  Hill  false  \n`),
  );
  const json = '"id":1,"idText":"1","name":"Orchard","area":9007199254740993,';
  expect((await run('list --resource gardens --by --json')).stdout).toContain(json);
  expect(await run('show 1 --resource gardens')).toMatchObject({ exitCode: 0, stdout: orchard });
  expect(await run('show 1')).toMatchObject({ exitCode: 0, stdout: fern });
  expect(await run('show 9 --resource gardens')).toEqual(failed('plant-store: There is no garden 9.\n'));
});

it('updates a field of each kind', async () => {
  const { run } = await createBoth();
  const options =
    '--name Meadow --no-area --is-open false --planted-at 2026-01-02T03:04:05+01:00 --plant-ids 9007199254740993';
  const { stdout } = await run(`update 1 --resource gardens ${options}`);
  expect(stdout).toContain(
    '"name":"Meadow","isOpen":false,"plantedAt":"2026-01-02T02:04:05.000Z","plantIds":[9007199254740993]',
  );
  expect((await run('update 1 --resource gardens --area -7')).stdout).toContain('"area":-7');
  expect((await run('export --resource plants')).stdout).toBe(fern);
});

it.each([
  ['update 1 --resource gardens --area much', "--area' argument 'much' is invalid. It must be an integer"],
  ['update 1 --resource gardens --is-open maybe', "'maybe' is invalid. It must be true or false."],
  ['update 1 --resource gardens --tag x', "option '--tag' does not apply to gardens"],
  ['list --resource gardens --area x', "option '--area' argument 'x' is invalid. It must be an integer"],
  ['show 1 --resource sheds', 'Specify one of plants, gardens.'],
])('rejects what the fields of the resource do not have: %s', async (line, message) => {
  expect(await useBoth().run(line)).toEqual(wrongUsage(message));
});

it('deletes records by id of one resource, and by lines of all', async () => {
  const { run } = await createBoth();
  const message =
    /^argument 2: No garden has ever had the ID 9\.\n1 deleted, .*\nplant-store: 1 argument does not match any garden/;
  expect(await run('delete 2 9 --resource gardens')).toEqual(failed(message));
  expect((await run('export')).stdout).toBe(fern + orchard + deleted.replace('3', '2') + deleted);
  expect(await run('delete --resource gardens --from -', fern)).toMatchObject({
    stderr: expect.stringContaining('0 deleted, 0 already deleted, 0 never existed, 0 bad'),
  });
  expect(await run('delete --from -', fern + orchard)).toEqual(succeeded('', /2 deleted/));
  expect(await run('export')).toMatchObject({ stderr: '0 plants, 0 gardens exported.\n' });
});

it('has an option for the resource only where there are several', async () => {
  expect((await useCommands().run('list --help')).stdout).not.toContain('resource');
  expect((await useBoth().run('list --help')).stdout).toContain('--resource <name>');
});
