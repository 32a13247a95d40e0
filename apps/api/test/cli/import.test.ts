import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@plant-store/client';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { countPlants, fillStore, readRows, storePath } from '../support/process/fill-store.js';
import { plantLine } from '../support/process/plant-lines.js';
import { failed, imported, runCommand, startCommand, startStore } from '../support/process/run-command.js';
import { useCommands } from '../support/process/run-in-process.js';
import { until } from '../support/until.js';

const lines = Array.from({ length: 5_000 }, (_, index) => plantLine(index + 1));

it('skips plants that are already stored, and no others with their ids', async () => {
  const { run } = useCommands();
  const text = plantLine(1) + plantLine(2) + plantLine(1);
  expect(await run('import', text)).toEqual(imported(2, 1));
  expect(await run('import', text + plantLine(3))).toEqual(imported(1, 3));
  const others = '{"id":1,"name":"plant 1","tag":""}\n{"id":2,"name":"plant 1"}\n';
  const { stderr } = await run('import', others);
  expect(stderr).toMatch(/^line 1: Plant 1 already exists .*\nline 2: Plant 2 already exists /);
});

it('deletes the plants of its lines, whose ids stay taken, and exports them again', async () => {
  const { run } = useCommands();
  const tombstones = '{"id":1,"deleted":true}\n{"id":3,"deleted":true}\n';
  const text = `${plantLine(1)}${plantLine(2)}${tombstones}{"id":4,"name":"kept","deleted":true}\n`;
  expect(await run('import', text)).toEqual(imported(5));
  const { stdout: exported, stderr } = await run('export');
  expect(stderr).toBe('2 plants exported.\n');
  expect(exported.match(/.*deleted.*\n/g)?.join('')).toBe(tombstones);
  for (const line of ['export --format csv', 'list'])
    expect((await run(line)).stdout.match(/^\d+/gm)).toEqual(['2', '4']);

  const other = useCommands();
  await other.run('import', exported);
  expect((await other.run('export')).stdout).toBe(exported);
  const late = `${plantLine(1)}{"id":1,"deleted":true}\n{"id":"5","deleted":true}\n`;
  const message =
    /^line 1: Plant 1 was deleted.*\nline 3: .*id must be.*\n0 imported, 1 already there, 2 bad\n/;
  expect(await other.run('import', late)).toEqual(failed(message));
});

it.each([
  ['import nowhere.ndjson', /^plant-store: The file cannot be read: ENOENT.*nowhere\.ndjson'\n$/],
  ['import .', /^(.*\n){0,2}plant-store: The file cannot be read: EISDIR/],
  ['token import nowhere', /^plant-store: The tokens cannot be read: ENOENT/],
])('reports why a file cannot be read: %s', async (line, stderr) => {
  const { folder, run } = useCommands();
  expect(await run(line)).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(stderr) });
  if (line === 'import nowhere.ndjson') expect(existsSync(storePath(folder))).toBe(false);
});

it('finishes the lines in flight on a signal, and can continue from the line that it reports', async () => {
  const { folder, run } = useCommands();
  const input = new PassThrough();
  // The last line is incomplete, which must not be reported as bad.
  input.write(lines.slice(0, 4_500).join('') + lines[4_500]?.slice(0, 5));
  const command = startCommand(['import'], { folder, input });
  await until(() => countPlants(folder) >= 1_000);
  const result = await command.end('SIGINT');
  const [, fromLine = ''] = /--from-line (\d+)/.exec(result.stderr) ?? [];
  const done = Number(fromLine) - 1;
  expect(result).toEqual(
    failed(
      `Not everything was imported. Resume with: --from-line ${fromLine}\n${done} imported, 0 already there, 0 bad\nplant-store: Stopped by SIGINT.\n`,
    ),
  );
  expect(countPlants(folder)).toBe(done);

  expect(await run(`import --from-line ${fromLine}`, lines.join(''))).toEqual(imported(5_000 - done));
  expect(countPlants(folder)).toBe(5_000);
});

it('begins at a line, whatever the lines before it are', async () => {
  const { run } = useCommands();
  const text = `# plants, as of today\n${plantLine(1)}`;
  expect((await run('import', text)).stderr).toContain('its first line looks like CSV or TSV');
  expect(await run('import --from-line 2', text)).toEqual(imported(1));
});

it('waits for a database that another program has locked', async () => {
  const { folder, run } = useCommands({ DATABASE_STATEMENT_TIMEOUT_MS: '50' });
  const other = new Database(await fillStore(folder, []));
  other.exec('BEGIN IMMEDIATE');
  const importing = run('import', plantLine(1));
  // Several times as long as a single insert waits.
  await sleep(300);
  other.close();
  expect(await importing).toEqual(imported(1));
});

it('imports while a service stores plants in the same file', async () => {
  const { folder, command, baseUrl, token } = await startStore();
  // The import may lock the file for longer than a create waits, on a slow machine often.
  const client = createClient({ baseUrl, token, retries: 100, timeoutMs: 120_000 });
  let importing = true;
  let nextId = -1;
  const acknowledged: number[] = [];
  const createContinuously = async () => {
    while (importing) {
      const id = nextId--;
      expect((await client.createPlant({ body: { id, name: `plant ${id}` } })).status).toBe(200);
      acknowledged.push(id);
    }
  };
  const creating = Promise.all(Array.from({ length: 4 }, createContinuously));
  writeFileSync(join(folder, 'plants.ndjson'), lines.join(''));
  const result = await runCommand(['import', 'plants.ndjson'], { folder });
  importing = false;
  await creating;
  await command.end('SIGTERM');

  expect(result).toEqual(imported(5_000));
  const ids = [...acknowledged.toSorted((a, b) => a - b), ...lines.map((_, index) => index + 1)];
  expect(readRows(storePath(folder))).toEqual(ids.map((id) => [BigInt(id), `plant ${id}`, null]));
});

const fiveLines = /^line 2: .*id must be an integer.*\n(line .*\n){4}0 imported, .*\nplant-store: 5 lines/;

/** Tables as spreadsheet programs write them, which the page reads, too. */
const tables = join(import.meta.dirname, '../../../web/test/import-files');

it.each([
  ['excel-semicolons-utf-8.csv', ['1 Rose; red [1,5]', '2 two\nlines []']],
  ['excel-sep-line.csv', ['1 Rose, red [shrub]', '2 Fern []']],
  ['excel-unicode-text.txt --format tsv', ['1 Rose "Ø" [shrub]']],
  ['gnumeric.csv', /Required: id and name\. Found: Artikelnummer,/],
  ['ids-with-separators.csv', fiveLines],
  ['libreoffice-semicolons-windows-1252.csv', /The file is not encoded in UTF-8\. Save it as UTF-8/],
  ['open-quote.csv', /^line 2: The line is not valid CSV: /],
  [
    'title-and-blank-lines.csv',
    /The first line must contain the column names\. .* Found: Bestandsliste 2026/,
  ],
])('imports a table as a program writes it, or reports why not: %s', async (file, expected) => {
  const { run } = useCommands();
  const { stderr } = await run(`import ${join(tables, file)}`);
  const exported = (await run('export')).stdout.match(/.+/g) ?? [];
  const plants = exported
    .map((line) => JSON.parse(line))
    .map(({ id, name, tag = '' }) => `${id} ${name} [${tag}]`);
  if (expected instanceof RegExp) expect(stderr).toMatch(expected);
  else expect([plants, stderr]).toEqual([expected, `${plants.length} imported, 0 already there, 0 bad\n`]);
});
