import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { useCommands } from '../../test/support/process/run-in-process.js';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { describeNonDatabase, recognizeFile } from './file-kind.js';

it.each([
  ['PK\x03\x04', 'a workbook or a ZIP archive'],
  [
    '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
    'a workbook in the old Excel format, or a password-protected workbook',
  ],
  ['\x1f\x8b\x08', 'compressed with gzip'],
  ['\x28\xb5\x2f\xfd', 'compressed with Zstandard'],
  ['BZh9', 'compressed with bzip2'],
  ['\xfd7zXZ\0', 'compressed with xz'],
  ['SQLite format 3\0', 'a SQLite database'],
  ['\x37\x7f\x06\x82', 'the -wal file of a SQLite database'],
  ['PGDMP\x01', 'a pg_dump archive'],
  ['%PDF-1.7', 'a PDF'],
  ['\x89PNG\r\n', 'a picture'],
  ['\n <!DOCTYPE html>', 'a web page or XML'],
  ['<?xml version="1.0"?>', 'a web page or XML'],
  ['id,name\n', undefined],
  ['<id>;<name>', undefined],
  ['', undefined],
])('recognizes %j as %s', (start, what) => {
  expect(recognizeFile(Buffer.from(start, 'latin1'))?.what).toBe(what);
});

const folder = temporaryFolder();
const write = (name: string, content: string | Buffer) => {
  writeFileSync(join(folder, name), content);
  return name;
};
mkdirSync(join(folder, 'folder'));
const database = new Database(join(folder, 'other.db'));
database.exec('CREATE TABLE notes (text)').close();

it.each([
  [write('notes.txt', 'Käse. '.repeat(500)), 'text'],
  [write('plants.db.gz', gzipSync(randomBytes(2_000))), 'compressed with gzip'],
  [
    write('plants.db-wal', Buffer.concat([Buffer.from('377f0682', 'hex'), Buffer.alloc(2_000)])),
    'the -wal file',
  ],
  [
    write('encrypted.db', Buffer.concat([Buffer.from([1, 0]), randomBytes(4_094)])),
    'in an unknown format, possibly encrypted',
  ],
])('the service, check and restore say what %s is: %s', async (name, kind) => {
  const { run } = useCommands({ DATABASE_URL: `file:${name}`, PORT: '0' }, folder);
  const problem = `file is not a database; it is ${kind}`;
  expect((await run('migrate')).stderr).toContain(problem);
  expect((await run('check')).stdout).toContain(problem);
  const { run: runElsewhere } = useCommands();
  expect((await runElsewhere(`restore ${join(folder, name)}`)).stderr).toContain(
    `cannot be used: ${problem}`,
  );
});

it('says nothing about databases, folders and missing files', () => {
  for (const name of ['other.db', 'folder', 'nowhere'])
    expect(describeNonDatabase(join(folder, name))).toBeUndefined();
});

it.each([
  [
    'plants.csv',
    Buffer.from('PK\x03\x04 xlsx', 'latin1'),
    'a workbook or a ZIP archive. Nothing was imported. Save it as CSV in UTF-8, or',
  ],
  ['plants.csv', '%PDF-1.7', 'a PDF. Nothing was imported. Copy its table into a spreadsheet,'],
  [
    'plants.csv',
    gzipSync('id,name\n1,Fern\n'),
    'compressed with gzip. Nothing was imported. Unpack it first: gunzip\n',
  ],
  [
    'plants.ndjson',
    gzipSync('{"id":1,"name":"Fern"}\n'),
    'compressed with gzip. Nothing was imported. Unpack it first: gunzip\n',
  ],
  ['plants.csv', '<table><tr><td>id</td></tr></table>', 'a web page or XML'],
  ['plants.db', 'SQLite format 3\0', 'a SQLite database. Nothing was imported. Either export it first'],
  [
    'plants.json',
    '[{"id":1,"name":"Fern"}]',
    `Use jq 1.7 or later, because older versions round IDs: jq -c '.[]' records.json | plant-store import\n`,
  ],
  ['plants.csv', '[\n{"id":1,"name":"Fern"}]', 'a JSON array'],
  ['plants.tsv', 'id,name\n1,Fern\n', 'The first line has no tabs: id,name. Nothing was imported.'],
  ['plants.csv', '{"id":1,"name":"Fern"}\n', 'The file is not CSV: its first line looks like NDJSON.'],
  [
    'plants.ndjson',
    Buffer.from('\uFEFF{"id":1}\n', 'utf16le'),
    'in UTF-16. Nothing was imported. Convert it: iconv -f UTF-16',
  ],
])('import says what %s really is, and stores nothing: %s', async (name, content, problem) => {
  const { run, folder: own } = useCommands();
  writeFileSync(join(own, name), content);
  const { exitCode, stdout, stderr } = await run(`import ${name}`);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toMatch(/^0 imported, 0 already there, 0 bad\n/);
  expect(stderr).toContain(problem);
});

it.each([
  ['comma', 'id,name\n1,Fern\n'],
  ['semicolon', 'id;name\n1;Fern\n'],
  ['tab', 'id\tname\n1\tFern\n'],
])('import takes a file named CSV whose delimiter is a %s', async (_, content) => {
  const { run, folder: own } = useCommands();
  writeFileSync(join(own, 'plants.csv'), content);
  expect((await run('import plants.csv')).stderr).toBe('1 imported, 0 already there, 0 bad\n');
});
