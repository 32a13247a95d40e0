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
    2: expect.stringContaining('a double quote opens a cell and does not close it'),
    5: expect.stringContaining('a double quote opens a cell'),
    6: expect.stringContaining('a double quote opens a cell'),
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
  ['1e5', 'the spreadsheet shortened this id; format the column as text'],
  ['9.22337E+18', 'the spreadsheet shortened this id; format the column as text'],
  ['9,22337E+18', 'the spreadsheet shortened this id; format the column as text'],
  ['1.0', 'write the id without decimals'],
  ['1,000', 'write the id without separators between its digits'],
  ['1 000 000', 'write the id without separators between its digits'],
  ['Rose', 'an id has digits only'],
  ['⑨', 'an id has digits only'],
])('rejects the id %s of a cell', async (id, reason) => {
  const { faulty } = await read(file('plants.tsv', `id\tname\n1\tFern\n${id}\tRose\n`));
  expect(faulty).toEqual({ 3: expect.stringContaining(`id "${id}": ${reason}`) });
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

it('rejects what the contract rejects, with its messages, all of a line together', async () => {
  const content = `id,name,tag\n9223372036854775808,Rose\n,Rose\n4,\n5,a\0b\nx,\n-9223372036854775808,Fern\n${'9'.repeat(5000)},Ivy\n-9223372036854775809,Oak`;
  const tooLong = (id: string) => `id "${id}": it is too large; an id of up to 18 digits always fits`;
  expect(await read(file('plants.csv', content))).toMatchObject({
    plants: { 7: { id: -9223372036854775808n, name: 'Fern' } },
    faulty: {
      2: tooLong('9223372036854775808'),
      3: 'id is missing',
      4: 'name is required',
      5: 'name must not contain the character NUL (U+0000)',
      6: 'id "x": an id has digits only, such as 42 or -7; name is required',
      8: tooLong('9'.repeat(38)),
      9: tooLong('-9223372036854775809').replace('large', 'small'),
    },
  });
});

it('rejects a line with more cells than columns, unless these are empty', async () => {
  const { plants, faulty } = await read(file('plants.csv', 'id,name\n1,Rose, red\n2,Fern,,\n3,Ivy'));
  expect(Object.keys(plants)).toEqual(['3', '4']);
  expect(faulty).toEqual({ 2: expect.stringContaining('the line has 3 cells for 2 columns') });
});

it('notices ids that a spreadsheet has rounded, unless others of that length have not been', async () => {
  const rounded = 'id,name\n9223372036854770000,Rose\n12,Fern\n';
  expect((await read(file('plants.csv', rounded))).rounded).toBe(1);
  expect((await read(file('plants.csv', `${rounded}9223372036854775807,Ivy\n`))).rounded).toBe(0);
});
