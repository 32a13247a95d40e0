import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase } from '@plant-store/postgresql-server';
import { expect, inject, it } from 'vitest';
import { toInput } from '../support/process/plant-lines.js';
import { runInProcess } from '../support/process/run-in-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const lines = [
  { id: '-9223372036854775808', name: 'Monstera, "big"', tag: 'indoor', addedAt: '2026-01-02T03:04:05.678Z' },
  { id: '7', name: 'Fern\nof two lines', addedAt: null },
  { id: '9223372036854775807', name: 'monstera adansonii', tag: '', addedAt: '2026-11-25T10:00:00.000Z' },
];
const ndjson = lines.map(({ id, ...plant }) => `{"id":${id},${JSON.stringify(plant).slice(1)}\n`).join('');

async function fill(DATABASE_URL = 'file:data/plant-store.db') {
  const folder = temporaryFolder();
  const options = { folder, environment: { DATABASE_URL } };
  expect(await runInProcess(['import'], { ...options, input: toInput(ndjson) })).toMatchObject({
    stdout: '3 imported, 0 already there, 0 bad\n',
  });
  const run = async (...args: string[]) => {
    const result = await runInProcess(args, options);
    expect(result).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('error') });
    return result.stdout;
  };
  return { folder, options, run };
}

it.each(['sqlite', 'postgresql'] as const)(
  'lists plants by id, the newest first, and those that match, on %s',
  async (engine) => {
    const { run } = await fill(
      engine === 'sqlite' ? undefined : await createDatabase(inject('postgresqlUrl')),
    );
    const idsOf = async (...args: string[]) =>
      (await run('list', '--format', 'ndjson', ...args))
        .split('\n')
        .map((line) => /"id":(-?\d+)/.exec(line)?.[1]);
    const [monstera, fern, other] = lines.map(({ id }) => id);
    expect(await run('list', '--format', 'ndjson')).toBe(ndjson);
    expect(await idsOf('--newest')).toEqual([other, monstera, fern, undefined]);
    expect(await idsOf('--tag', 'indoor')).toEqual([monstera, undefined]);
    expect(await idsOf('--tag', '')).toEqual([other, undefined]);
    expect(await idsOf('--query', 'MONSTERA')).toEqual([monstera, other, undefined]);
    expect(await idsOf('--query', '🌱'.repeat(100), '--tag', '🌱'.repeat(1_000))).toEqual([undefined]);
  },
);

it('prints a line for each plant on a terminal, whatever its texts are', async () => {
  const { run } = await fill();
  expect(await run('list')).toBe(
    [
      'ID                    ADDED                NAME',
      '-9223372036854775808  2026-01-02 03:04:05  Monstera, "big"  [indoor]',
      '7                                          Fern\\u000aof two lines',
      '9223372036854775807   2026-11-25 10:00:00  monstera adansonii  []',
      '',
    ].join('\n'),
  );
});

it('writes CSV that it reads again', async () => {
  const { run, folder } = await fill();
  const csv = await run('export', '--format', 'csv');
  expect(csv).toBe(
    [
      'id,name,tag,addedAt',
      '-9223372036854775808,"Monstera, ""big""",indoor,2026-01-02T03:04:05.678Z',
      '7,"Fern\nof two lines",,',
      '9223372036854775807,monstera adansonii,,2026-11-25T10:00:00.000Z',
      '',
    ].join('\r\n'),
  );
  expect(await run('list', '--format', 'csv')).toBe(csv);
  writeFileSync(join(folder, 'plants.csv'), csv);
  const environment = { DATABASE_URL: 'file:other.db' };
  expect(await runInProcess(['import', 'plants.csv'], { folder, environment })).toEqual({
    exitCode: 0,
    stdout: '3 imported, 0 already there, 0 bad\n',
    stderr: '',
  });
  const again = await runInProcess(['export', '--format', 'csv'], { folder, environment });
  // The one that had no time got that of the import.
  expect(again.stdout.replace(/,,\d{4}-[^\r]+(?=\r\n9)/, ',,')).toBe(csv);
});

it.each([
  ['plants.csv', 'id,name\n1,Fern\n'],
  ['plants.CSV', '\uFEFFName;ID;Tag\r\nFern;1;shade\r\n'],
  ['plants.tsv', 'id\tname\n1\tFern\n'],
  ['plants.txt', 'id,name\n1,Fern\n', '--format', 'csv'],
])('imports CSV and TSV by the name of the file, or the format: %s', async (name, text, ...args) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, name), text);
  expect(await runInProcess(['import', name, ...args], { folder })).toMatchObject({
    exitCode: 0,
    stdout: '1 imported, 0 already there, 0 bad\n',
    stderr: '',
  });
});

it('reports what is not imported: columns, and lines that are no plants', async () => {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, 'plants.csv'),
    'id,price,name,notes,addedAt\n1,5,Fern,n,\n\nx,5,Ivy,n,\n9223372036854775808,5,Ivy,n,\n2,5,,n,\n3,5,"Yucca" tree,n\n',
  );
  expect(await runInProcess(['import', 'plants.csv'], { folder })).toEqual({
    exitCode: 1,
    stdout: '1 imported, 0 already there, 4 bad\n',
    stderr: [
      'Not imported: the columns price, notes',
      'line 4: The plant is not valid: id must be an integer from -9223372036854775808 to 9223372036854775807.',
      'line 5: The plant is not valid: id must be an integer from -9223372036854775808 to 9223372036854775807.',
      'line 6: The plant is not valid: name is required.',
      'line 7: The line is not valid CSV: Trailing quote on quoted field is malformed.',
      'plant-store: 4 lines are bad and changed nothing. Fix them and import the file again: plants already stored are left unchanged.',
      '',
    ].join('\n'),
  });
});

it('ends at a quoted field that does not end, and prints where to go on', async () => {
  const folder = temporaryFolder();
  const good = Array.from({ length: 1_001 }, (_, id) => `${id},Fern\n`).join('');
  writeFileSync(join(folder, 'plants.csv'), `id,name\n${good}x,Oak\n1001,"Ivy\n1002,Elm\n`);
  expect(await runInProcess(['import', 'plants.csv'], { folder })).toEqual({
    exitCode: 1,
    stdout: '1001 imported, 0 already there, 1 bad\n',
    stderr: [
      'line 1003: The plant is not valid: id must be an integer from -9223372036854775808 to 9223372036854775807.',
      'Not imported to the end. Go on with: --from-line 1004',
      'plant-store: Line 1004 begins a quoted field that does not end. Close its double quote, or write it twice if it belongs to the text, and import the file again.',
      '',
    ].join('\n'),
  });
});

it('imports nothing of a file that is not what it is taken for', async () => {
  const folder = temporaryFolder();
  const run = async (name: string, text: string | Buffer) => {
    writeFileSync(join(folder, name), text);
    return runInProcess(['import', name], { folder });
  };
  expect(await run('plants', `id,name\n${'1,Fern\n'.repeat(5_000)}`)).toEqual({
    exitCode: 1,
    stdout: '0 imported, 0 already there, 0 bad\n',
    stderr: `Not imported to the end. Go on with: --from-line 1
plant-store: This is not NDJSON: its first line looks like one of CSV or TSV. Nothing was imported. Name the format, such as --format csv.\n`,
  });
  expect(await run('german.csv', 'Nummer;Bezeichnung\n1;Fern\n')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('It has: Nummer, Bezeichnung. Rename'),
  });
  expect(await run('latin.csv', Buffer.from('id,name\n1,\xe9\n', 'latin1'))).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('The file is not in UTF-8.'),
  });
});
