import { expect, it } from 'vitest';
import { file, read } from './testing/read.js';

it('keeps the text of cells exactly, and the numbers of the lines of the file', async () => {
  const content = 'id,name,tag\r\n1,"a ""b"",\r\nc\n",  x \r\n\r\n,,\r\n5, Fern,\r\n';
  expect(await read(file('plants.csv', content))).toMatchObject({
    plants: { 2: { id: 1n, name: 'a "b",\r\nc\n', tag: '  x ' }, 7: { id: 5n, name: ' Fern' } },
    faulty: {},
  });
});

it('marks the line of a quote that is never closed, and reads the lines after it', async () => {
  const content = 'id,name\n1,"Rose\n2,Fern\n3,"Ivy"\n4,"Oak" tree\n5,"Elm\n6,Ash\n';
  const { plants, faulty } = await read(file('p.csv', content));
  expect(Object.keys(plants)).toEqual(['3', '4', '7']);
  expect(faulty).toEqual({
    2: expect.stringContaining('A cell starts with a double quote that is never closed'),
    5: expect.stringContaining('A cell starts with a double quote'),
    6: expect.stringContaining('A cell starts with a double quote'),
  });
});

it('reads 5,000 lines with a quote that is never closed in every tenth', async () => {
  const lines = Array.from({ length: 5000 }, (_, id) =>
    id % 10 ? `${id},"Plant ${id}"` : `${id},"Plant ${id}`,
  );
  const { counts, faulty } = await read(file('plants.csv', ['id,name', ...lines].join('\n')));
  expect(counts.ready).toBe(4500);
  expect(Object.keys(faulty)).toHaveLength(500);
});

it.each([
  ['1e5', 'The spreadsheet shortened this ID. Format the column as text'],
  ['9.22337E+18', 'The spreadsheet shortened this ID. Format the column as text'],
  ['9,22337E+18', 'The spreadsheet shortened this ID. Format the column as text'],
  ['1 000 000', 'Enter the ID without separators between the digits'],
  ['Rose', 'The ID must be a whole number'],
  ['⑨', 'The ID must be a whole number'],
])('rejects the id %s of a cell', async (id, reason) => {
  const { faulty } = await read(file('plants.tsv', `id\tname\n1\tFern\n${id}\tRose\n`));
  expect(faulty).toEqual({ 3: expect.stringContaining(reason) });
});

it.each([
  ['007', 7n],
  ['+7', 7n],
  [' -7 ', -7n],
  ['-0', 0n],
  ['-009223372036854775808', -9223372036854775808n],
])('reads the id %s of a cell', async (text, id) => {
  const { plants } = await read(file('plants.tsv', `id\tname\n1\tFern\n${text}\tRose\n`));
  expect(plants).toMatchObject({ 3: { id } });
});

it('explains all errors of a line together', async () => {
  const content = `id,name,tag\n9223372036854775808,Rose\n,Rose\n4,\n5,a\0b\nx,\n-9223372036854775808,Fern\n${'9'.repeat(5000)},Ivy\n-9223372036854775809,Oak`;
  const tooLarge = 'The ID is too large. Use up to 18 digits.';
  expect(await read(file('plants.csv', content))).toMatchObject({
    plants: { 7: { id: -9223372036854775808n, name: 'Fern' } },
    faulty: {
      2: tooLarge,
      3: 'The ID is missing.',
      4: 'The name is missing.',
      5: 'The name contains a character that cannot be saved. Retype the text.',
      6: 'The ID must be a whole number. The name is missing.',
      8: tooLarge,
      9: tooLarge.replace('large', 'small'),
    },
  });
});

it('rejects a line with more cells than columns, unless these are empty', async () => {
  const { plants, faulty } = await read(file('plants.csv', 'id,name\n1,Rose, red\n2,Fern,,\n3,Ivy'));
  expect(Object.keys(plants)).toEqual(['3', '4']);
  expect(faulty).toEqual({
    2: expect.stringContaining('This line has more cells than there are column headers.'),
  });
});

it('notices ids that a spreadsheet has rounded, unless others of that length have not been', async () => {
  const rounded = 'id,name\n9223372036854770000,Rose\n12,Fern\n';
  expect((await read(file('plants.csv', rounded))).notes[0]).toMatch(
    /^All IDs with more than 15 digits end in zeros \(1 found\)/,
  );
  expect((await read(file('plants.csv', `${rounded}9223372036854775807,Ivy\n`))).notes).toEqual([]);
});
