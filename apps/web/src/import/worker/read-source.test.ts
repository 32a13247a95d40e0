import type { Plant } from '@plant-store/contract/operations';
import { recordFormatsOf } from '@plant-store/contract/record-format';
import { resources } from '@plant-store/contract/resources';
import { expect, it } from 'vitest';
import { file, read } from './testing/read.js';

const rose = { id: 9223372036854775807n, name: 'Rose', tag: 'shrub' };

it.each([
  ['commas', 'plants.csv', 'id,name,tag\n9223372036854775807,Rose,shrub\n'],
  ['semicolons', 'plants.csv', 'Name;Id;Tag\r\nRose;9223372036854775807;shrub\r\n'],
  ['tabs', 'plants.tsv', 'tag\tname\tid\nshrub\tRose\t9223372036854775807'],
  ['the line breaks of old Macs', 'plants.csv', 'id,name,tag\r9223372036854775807,Rose,shrub\r'],
  ['German titles', 'pflanzen.csv', 'Nr.;Bezeichnung;Kategorie\n9223372036854775807;Rose;shrub\n'],
  ['French titles', 'plantes.csv', 'Numéro,Espèce,Catégorie\n9223372036854775807,Rose,shrub\n'],
  ['Spanish titles', 'plantas.csv', 'Número,Nombre,Etiqueta\n9223372036854775807,Rose,shrub\n'],
  ['other columns between', 'plants.csv', 'id,price,name,x,tag\n9223372036854775807,5,Rose,,shrub\n'],
  ['titles that are not known', 'plants.csv', 'a,b,c\n9223372036854775807,Rose,shrub\n'],
])('reads cells with %s', async (title, name, content) => {
  const { plants, faulty } = await read(file(name, content));
  expect(plants).toEqual({ 2: title.includes('not known') ? { id: rose.id, name: rose.name } : rose });
  expect(faulty).toEqual({});
});

it.each([
  ['tabs', '1\tRose\r\n2\tFern\r\n', [1, 2]],
  ['semicolons', 'id;name\n1;Rose\n2;Fern\n', [2, 3]],
  ['semicolons and CRLF', '1;Rose\r\n2;Fern\r\n', [1, 2]],
  ['a blank line after the header', 'id;name\r\n\r\n1;Rose\r\n2;Fern\r\n', [3, 4]],
  ['a single line', '1\tRose\r\n', [1]],
])('recognizes two columns with %s, pasted and in a file', async (_, text, lines) => {
  const names = ['Rose', 'Fern'];
  const plants = lines.map((line, index) => [line, { id: BigInt(index + 1), name: names[index] }]);
  const expected = Object.fromEntries(plants);
  expect(await read({ text })).toMatchObject({ plants: expected, faulty: {} });
  expect(await read(file('plants.csv', text))).toMatchObject({ plants: expected, faulty: {} });
});

it.each([
  ['a cell that means a tag', '1,Rose,no\n2,Fern,yes\n3,Ivy,no\n', { 1: { id: 1n }, 2: { id: 2n } }],
  ['a cell that means a name', '1,Plant,green\n2,Fern,red\n', { 1: { id: 1n, name: 'Plant' } }],
  ['a cell that means a name on the only line', '1,Plant,green\n', { 1: { id: 1n, name: 'Plant' } }],
  ['a number among the titles', '2026,id,name\n50,1,Rose\n', { 2: { id: 1n, name: 'Rose' } }],
  ['no header', '9223372036854775807\tRose\tshrub\n-3\tFern\t\n', { 1: rose, 2: { id: -3n, name: 'Fern' } }],
  [
    'digits of other scripts',
    'id,name\n٤٢,Rose\n−７,Fern\n\u200e9\u200e,Ivy\n',
    { 2: { id: 42n }, 3: { id: -7n } },
  ],
  ['digits of another script and no header', '٤٢\tRose\n٤٣\tFern\n', { 1: { id: 42n }, 2: { id: 43n } }],
  ['NDJSON', '\n{"id":1,"name":"Rose"}', { 2: { id: 1n } }],
])('recognizes pasted lines with %s', async (_, text, plants) => {
  const result = await read({ text });
  expect(result.plants).toMatchObject(plants);
  expect(result.faulty).toEqual({});
});

it('shows an id in digits of another script as it will be stored', async () => {
  const { lines } = await read({ text: 'id\tname\n٤٢\tRose\n⑨\tFern\n' });
  expect(
    lines
      .updateList()
      .flatMap(({ rows }) => rows.map(({ id }) => id))
      .toSorted(),
  ).toEqual(['42', '⑨']);
});

const marked = '\ufeffid,name\n1,Rosé';

it.each([
  ['UTF-8 with a byte order mark', 'UTF-8', Buffer.from(marked)],
  ['UTF-16, low byte first', 'UTF-16', Buffer.from(marked, 'utf16le')],
  ['UTF-16, high byte first', 'UTF-16', Buffer.from(marked, 'utf16le').swap16()],
  ['UTF-16 without a mark', 'UTF-16', Buffer.from(marked.slice(1), 'utf16le')],
  ['Windows-1252', 'windows-1252', Buffer.from(marked.slice(1), 'latin1')],
])('reads %s', async (_, encoding, bytes) => {
  const plants = { 2: { id: 1n, name: 'Rosé' } };
  expect(await read(file('plants.csv', new Uint8Array(bytes)))).toMatchObject({ plants, encoding });
});

it('reads NDJSON with every digit, and JSON as the service does', async () => {
  const lines = [
    '{"id":9223372036854775807,"name":"Rose","tag":"shrub"}',
    '',
    '{"id":1e2,"name":""}',
    '{"id":"7","name":"Fern"}',
    '{"id":8,"name":"Fern"',
    '[8]',
    '{"id":8,"id":9,"name":"Fern"}',
    '{"id":9,"name":"Fern","tag":null}',
    '{"id":9007199254740992,"idText":"9007199254740993","name":"Ivy","addedAt":"2026-11-25T10:00:00.000Z"}',
    '{"idText":"-9007199254740993","name":"Ivy"}',
  ];
  expect(await read(file('plants.ndjson', lines.join('\r\n')))).toMatchObject({
    delimiter: undefined,
    plants: { 1: rose, 3: { id: 100n, name: '' }, 10: { id: -9007199254740993n, name: 'Ivy' } },
    faulty: {
      4: 'The ID must be an integer, not a string (for a string, use idText).',
      5: expect.stringContaining("This line cannot be read: Expected ',' or '}'"),
      6: 'The line must be a JSON object.',
      7: expect.stringContaining('This line cannot be read: Duplicate member'),
      8: 'The tag must be a string.',
      9: expect.stringMatching(
        /^The idText "9007199254740993" and id 9007199254740992 differ: send idText without id/,
      ),
    },
  });
});

it('explains an empty file and a blank one', async () => {
  for (const content of ['', '\n \n,,\n'])
    await expect(read(file('plants.csv', content))).rejects.toThrow('There are no lines to import');
});

it('states its limits, and which input exceeds them', async () => {
  const large = new File(['id,name\n1,Rose'], 'plants.csv');
  Object.defineProperty(large, 'size', { value: 200e6 });
  const advice = 'use the command line: plant-store import';
  await expect(read({ file: large })).rejects.toThrow(
    `The file is 200 MB, but this page can import at most 100 MB at a time. Split it into smaller files, or ${advice}`,
  );
  const lines = 'x\n'.repeat(100_002);
  await expect(read({ text: lines })).rejects.toThrow(
    `There are more than 100,000 lines. Split them into smaller files, or ${advice}`,
  );
  expect((await read({ text: lines.slice(4) })).counts.all).toBe(100_000);
});

it.each([
  ['titles', `id,name${',a'.repeat(2_000_000)}\n1,Rose`, 1],
  ['cells', `id,name\n1,Rose\n2${','.repeat(2_000_000)}`, 3],
  ['quoted cells', `id,name\n"1","Rose"\n2${',"a"'.repeat(1_000_000)}`, 3],
  ['cells behind one that spans lines', `id,name\n1,"Rose\nred"${',"a"'.repeat(1_000)}`, 2],
])('stops at a line with too many columns: %s', async (_, content, line) => {
  await expect(read(file('plants.csv', content))).rejects.toThrow(
    `Line ${line} has more than 1,000 columns. Delete the columns that you do not need, and choose the file again.`,
  );
});

it('reads 1,000 columns, and any number of delimiters within quotes', async () => {
  const content = `id,name${',a'.repeat(998)}\n1,"${','.repeat(5_000)}"\n`;
  expect(await read(file('plants.csv', content))).toMatchObject({ counts: { ready: 1 }, faulty: {} });
});

it('stops at a line that is too long, in each format', async () => {
  const long = 'x'.repeat(4 * 1024 * 1024 + 1);
  for (const [name, content] of [
    ['plants.csv', `id,name\n1,Rose\n${long}`],
    ['plants.csv', `id,name\n1,Rose\n"${long}`],
    ['plants.ndjson', `{"id":1,"name":"Rose"}\n\n{"id":2,"name":"${long}"}`],
  ] as const)
    await expect(read(file(name, content))).rejects.toThrow('Line 3 is longer than 4,000,000 characters.');
});

it('explains that the file is gone', async () => {
  const gone = new File(['id,name\n1,Rose'], 'plants.csv');
  gone.arrayBuffer = () => Promise.reject(new DOMException('', 'NotFoundError'));
  await expect(read({ file: gone })).rejects.toThrow('Choose it again');
});

it('reads the plants of an export exactly', async () => {
  const characters = ["'", '=', '＝', '-', '\t', '\r', '\n', ';', ',', '"', '\uFEFF', ' ', 'a'];
  const pairs = characters.flatMap((first) => characters.map((second) => first + second));
  const texts = [
    ...characters,
    ...pairs,
    ...pairs.flatMap((pair) => characters.map((third) => pair + third)),
  ];
  const plants = texts.map((name, index) => ({ id: BigInt(index), name, tag: texts.at(-index) ?? '' }));
  const { head, write } = recordFormatsOf<Plant>(resources.plant).csv;
  const { lines } = await read(file('plants.csv', head + plants.map(write).join('')));
  expect([...lines.withState('ready')].map(({ plant }) => plant)).toEqual(plants);
});
