import { expect, it } from 'vitest';
import { garden } from '../test/garden.js';
import type { Plant } from './operations.js';
import {
  guardText,
  readCell,
  readInteger,
  recordColumnsOf,
  recordFormatsOf,
  resourceNameOf,
  unguardText,
  writeDeleted,
} from './record-format.js';
import { resources } from './resources.js';

const plantFormats = recordFormatsOf<Plant>(resources.plant);

const rose = { id: 9_007_199_254_740_993n, name: 'Rose, "Peace"\n', tag: ' climber' };
interface Garden {
  name: string;
  area?: bigint;
  isOpen?: boolean;
  plantedAt?: string;
  plantIds: bigint[];
}
const gardenFormats = recordFormatsOf<Garden>(garden);
const kew = {
  id: 1n,
  name: '=Kew',
  area: -9_007_199_254_740_993n,
  isOpen: false,
  plantedAt: '2027-03-01T00:00:00.000Z',
  plantIds: [9_007_199_254_740_993n, -1n],
};

const addedAt = '2026-11-25T10:00:00.000Z';

it('NDJSON has the exact id, and marks an unknown time', () => {
  expect(plantFormats.ndjson.write({ ...rose, addedAt })).toBe(
    String.raw`{"id":9007199254740993,"name":"Rose, \"Peace\"\n","tag":" climber","addedAt":"${addedAt}"}` +
      '\n',
  );
  expect(plantFormats.ndjson.write({ id: 1n, name: '' })).toBe('{"id":1,"name":"","addedAt":null}\n');
});

it('CSV names its columns and quotes ambiguous values', () => {
  expect(plantFormats.csv.head).toBe('\uFEFFid,name,tag,addedAt\r\n');
  expect(plantFormats.csv.write({ ...rose, addedAt })).toBe(
    `9007199254740993,"Rose, ""Peace""\n"," climber",${addedAt}\r\n`,
  );
  expect(plantFormats.csv.write({ id: -1n, name: 'Boston fern' })).toBe('-1,Boston fern,,\r\n');
});

it('CSV has no text that a spreadsheet treats as a formula with any delimiter, and loses no text', () => {
  for (const [text, written] of [
    ['=HYPERLINK("https://example.com")', `"'=HYPERLINK(""https://example.com"")"`],
    ['＝1+1', "'＝1+1"],
    ["''-1", "'''-1"],
    ['\t=1', `"'\t'=1"`],
    ['Rose;"@x"; = y', `"Rose;'""@x"";' = y"`],
    ['Fern\n+x\r-y', `"Fern\n'+x\r'-y"`],
    ["'Peace' -1", "'Peace' -1"],
    ['Rose, -5 °C', '"Rose, -5 °C"'],
  ] as const)
    expect(plantFormats.csv.write({ id: -1n, name: text })).toBe(`-1,${written},,\r\n`);
  const characters = ["'", '=', '＋', '-', '@', '\t', '\r', '\n', ';', ',', '"', ' ', 'a'];
  let texts = [''];
  for (let length = 1; length <= 4; length++) {
    texts = texts.flatMap((text) => characters.map((character) => text + character));
    for (const text of texts) {
      const guarded = guardText(text);
      if (unguardText(guarded) !== text || /(?:^|[;\t\r\n])[\s"]*[=＋\-@]/.test(guarded))
        expect.fail(JSON.stringify({ text, guarded }));
    }
  }
});

it('NDJSON has all digits of integers, and names the resource first, unless it is the plant', () => {
  expect(gardenFormats.ndjson.head).toBe('');
  expect(gardenFormats.ndjson.write({ ...kew, addedAt })).toBe(
    `{"resource":"garden","id":1,"name":"=Kew","area":-9007199254740993,"isOpen":false,"plantedAt":"${kew.plantedAt}","plantIds":[9007199254740993,-1],"addedAt":"${addedAt}"}\n`,
  );
  expect(writeDeleted(garden, 1n)).toBe('{"resource":"garden","id":1,"deleted":true}\n');
  expect(writeDeleted(resources.plant, 1n)).toBe('{"id":1,"deleted":true}\n');
});

it('CSV has a cell for each kind of field, and the resource in each row', () => {
  expect(gardenFormats.csv.head).toBe(`\uFEFFresource,id,name,area,isOpen,plantedAt,plantIds,addedAt\r\n`);
  expect(gardenFormats.csv.write({ ...kew, addedAt })).toBe(
    `garden,1,'=Kew,-9007199254740993,false,${kew.plantedAt},9007199254740993 -1,${addedAt}\r\n`,
  );
  expect(gardenFormats.csv.write({ id: 2n, name: '', plantIds: [] })).toBe('garden,2,,,,,,\r\n');
});

it('cells are read as they were written', () => {
  for (const record of [kew, { id: 2n, name: 'Kew', isOpen: true, plantIds: [] }]) {
    const cells = gardenFormats.csv.write(record).trimEnd().split(',');
    const named = Object.fromEntries(
      recordColumnsOf(garden).map((name, place) => [name, cells[place] ?? '']),
    );
    const read = Object.entries(garden.fields).map(([name, field]) => [
      name,
      readCell(field, named[name] ?? ''),
    ]);
    expect({ id: readInteger(named['id'] ?? ''), ...Object.fromEntries(read) }).toEqual(record);
  }
});

it.each<[kind: 'int64' | 'boolean' | 'time' | 'int64List' | 'text', cell: string, value: unknown]>([
  ['int64', ' ٤٢ ', 42n],
  ['int64', '4.0', '4.0'],
  ['int64', '12345678901234567890', '12345678901234567890'],
  ['int64', ' ', undefined],
  ['boolean', 'TRUE', true],
  ['boolean', 'False ', false],
  ['boolean', 'yes', 'yes'],
  ['time', ' 2027-03-01T00:00:00.000Z', '2027-03-01T00:00:00.000Z'],
  ['int64List', '1  -2\n3', [1n, -2n, 3n]],
  ['int64List', '1,2', ['1,2']],
  ['int64List', '', undefined],
  ['text', '', undefined],
  ['text', ' ', ' '],
])('reads a cell of the kind %s, %j, as its value, or leaves it a text', (kind, cell, value) => {
  expect(readCell({ kind }, cell)).toEqual(value);
});

it.each([
  ['a member', { resource: 'garden', id: 1n, name: 'Kew' }, 'garden'],
  ['a cell with white space', { resource: ' garden ', id: '1' }, 'garden'],
  ['no member', { id: 1n, name: 'Kew' }, 'plant'],
  ['an empty cell', { resource: '', id: '1' }, 'plant'],
  ['the name of plants', { resource: 'plant' }, 'plant'],
  ['a resource that this version does not know', { resource: 'tree' }, 'tree'],
  ['a member that is no text', { resource: 7 }, undefined],
])('a line with %s belongs only to that resource', (_, line, name) => {
  expect(resourceNameOf(line)).toBe(name);
});
