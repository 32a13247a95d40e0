import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { failed, imported } from '../support/process/run-command.js';
import { useCommands } from '../support/process/run-in-process.js';

const lines = [
  { id: '-9223372036854775808', name: 'Monstera, "big"', tag: 'indoor', addedAt: '2026-01-02T03:04:05.678Z' },
  { id: '7', name: 'Fern\nof two lines', addedAt: null },
  { id: '9223372036854775807', name: 'monstera adansonii', tag: '', addedAt: '2026-11-25T10:00:00.000Z' },
];
const ndjson = lines.map(({ id, ...plant }) => `{"id":${id},${JSON.stringify(plant).slice(1)}\n`).join('');
const csv = [
  '\uFEFFid,name,tag,addedAt',
  '-9223372036854775808,"Monstera, ""big""",indoor,2026-01-02T03:04:05.678Z',
  '7,"Fern\nof two lines",,',
  '9223372036854775807,monstera adansonii,,2026-11-25T10:00:00.000Z',
  '',
].join('\r\n');

/** Commands on a store with these plants. */
async function createStore() {
  const { folder, run } = useCommands();
  expect(await run('import', ndjson)).toEqual(imported(3));
  return { folder, run };
}

/** Writes a file, and imports it. */
async function importFile(name: string, text: string | Buffer, options = '') {
  const { folder, run } = useCommands();
  writeFileSync(join(folder, name), text);
  return run(`import ${name}${options}`);
}

it('lists plants by id, the newest first, and those that match', async () => {
  const { run } = await createStore();
  const [monstera, fern, other] = lines.map(({ id }) => id);
  const list = async (options: string) => (await run(`list --format ndjson${options}`)).stdout;
  expect(await list('')).toBe(ndjson);
  for (const [options, ids] of [
    [' --newest', [other, monstera, fern]],
    [' --tag indoor', [monstera]],
    [' --tag ', [other]],
    [' --query MONSTERA', [monstera, other]],
    [' --added-from 2026-01-02T03:04:05.679Z', [other]],
    [' --added-before 2026-11-25T10:00:00Z', [monstera]],
    [' --added-before 2026-11-25T11:00:00.0001+01:00', [monstera, other]],
    [` --query ${'🌱'.repeat(100)} --tag ${'🌱'.repeat(1_000)}`, []],
  ] as const)
    expect([...(await list(options)).matchAll(/"id":(-?\d+)/g)].map(([, id]) => id)).toEqual(ids);
});

it('prints a line for each plant on a terminal, whatever its texts are', async () => {
  const { run } = await createStore();
  expect((await run('list')).stdout).toBe(`\
ID                    ADDED                NAME
-9223372036854775808  2026-01-02 03:04:05  Monstera, "big"  [indoor]
7                                          Fern\\u000aof two lines
9223372036854775807   2026-11-25 10:00:00  monstera adansonii  []
`);
});

it('writes CSV that it reads again', async () => {
  const { folder, run } = await createStore();
  for (const line of ['list --format csv', 'export --format csv']) expect((await run(line)).stdout).toBe(csv);
  writeFileSync(join(folder, 'plants.csv'), csv);
  const other = useCommands({ DATABASE_URL: 'file:other.db' }, folder);
  expect(await other.run('import plants.csv')).toEqual(imported(3));
  // The one that had no time got that of the import.
  const { stdout } = await other.run('export --format csv');
  expect(stdout.replace(/,,\d{4}-[^\r]+(?=\r\n9)/, ',,')).toBe(csv);
});

it.each([
  ['plants.CSV', '\uFEFFName;ID;Tag\r\nFern;1;shade\r\n'],
  ['plants.tsv', 'id\tname\n1\tFern\n'],
  ['plants.txt', 'id,name\n1,Fern\n', ' --format csv'],
])('imports CSV and TSV by the name of the file, or the format: %s', async (name, text, options?: string) => {
  expect(await importFile(name, text, options)).toEqual(imported(1));
});

const invalidId = 'id must be an integer from -9223372036854775808 to 9223372036854775807.';

it('reports what is not imported: columns, and lines that are no plants', async () => {
  const text =
    'id,price,name,notes,addedAt\n1,5,Fern,n,\n\nx,5,Ivy,n,\n9223372036854775808,5,Ivy,n,\n2,5,,n,\n3,5,"Yucca" tree,n\n';
  expect(await importFile('plants.csv', text)).toEqual(
    failed(
      `Not imported: the columns price, notes
line 4: The plant is not valid: ${invalidId}
line 5: The plant is not valid: ${invalidId}
line 6: The plant is not valid: name is required.
line 7: The line is not valid CSV: Trailing quote on quoted field is malformed.
1 imported, 0 already there, 4 bad
plant-store: 4 lines were invalid and skipped. Fix them and import the file again. Records that are already stored will not be changed.\n`,
    ),
  );
});

it('ends at a quoted field that does not end, and prints where to go on', async () => {
  const good = Array.from({ length: 1_001 }, (_, id) => `${id},Fern\n`).join('');
  expect(await importFile('plants.csv', `id,name\n${good}x,Oak\n1001,"Ivy\n1002,Elm\n`)).toEqual(
    failed(
      `line 1003: The plant is not valid: ${invalidId}
Not everything was imported. Resume with: --from-line 1004
1001 imported, 0 already there, 1 bad
plant-store: The quoted field that starts on line 1004 is never closed. Add the closing double quote, or double the quote if it is part of the text. Then import the file again.\n`,
    ),
  );
});

it.each([
  [
    'plants',
    `id,name\n${'1,Fern\n'.repeat(5_000)}`,
    'The file is not NDJSON: its first line looks like CSV or TSV. Nothing was imported. Specify the format, such as --format csv.\n',
  ],
  ['german.csv', 'Nummer;Bezeichnung\n1;Fern\n', 'Found: Nummer, Bezeichnung. Rename'],
])('imports nothing of a file that is not what it is taken for: %s', async (name, text, message) => {
  const result = await importFile(name, text);
  expect(result.stderr).toContain(message);
  expect(result).toEqual(failed(/^0 imported, 0 already there, 0 bad\nplant-store: /));
});
