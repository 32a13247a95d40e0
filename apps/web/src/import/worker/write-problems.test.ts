import { expect, it } from 'vitest';
import { noTexts } from '../../shared/fields.js';
import type { Lines } from './lines.js';
import { file, read } from './testing/read.js';
import { writeProblems } from './write-problems.js';

/** The file of the rejected lines of a file, after a change of these. */
async function write(name: string, content: string, change: (lines: Lines) => void = () => undefined) {
  const { lines } = await read(file(name, content));
  change(lines);
  const written = writeProblems(lines);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await written.file.arrayBuffer());
  return { text, fileName: written.fileName };
}

const taken = 'Plant 9223372036854775807 already exists with different values.';

/** Notes that the service has rejected a line. */
function reject(lines: Lines, index: number, error: number, reason: string) {
  const line = lines.all[index];
  if (line) lines.reject(line, error, reason);
}

it('adds line, error and reason, and keeps the cells exact', async () => {
  const content = 'id;name;tag\r\n9223372036854775807;"a;""b""\n";=1+1\r\n1;Fern;\r\nx; Rose ;\r\n2\r\n';
  expect(await write('plants.csv', content, (lines) => reject(lines, 0, 40003, taken))).toEqual({
    fileName: 'plants-problems.csv',
    text: [
      'id;name;tag;line;error;reason',
      '9223372036854775807;"a;""b""\n";=1+1;2;40003;Plant 9223372036854775807 already exists with different values.',
      'x;" Rose ";;5;;The ID must be a whole number.',
      '2;;;6;;The name is missing.',
      '',
    ].join('\r\n'),
  });
});

it('writes a file that gives the same lines again, and edited ones', async () => {
  const first = await write('plants.tsv', 'id\tname\nx\tRose\n1,"Fern\n\t"open\n');
  const second = await write(first.fileName, first.text);
  expect(second.fileName).toBe('plants-problems-problems.tsv');
  expect(second.text.split('\r\n')[0]).toBe('id\tname\tline\terror\treason');
  expect(second.text.split('\r\n')).toHaveLength(first.text.split('\r\n').length);
  expect((await read(file('plants.tsv', first.text.replace('x\t', '7\t')))).counts.ready).toBe(1);
});

it('names the columns if the input does not', async () => {
  const { text } = await write('plants.csv', '1,Fern,a\n2,Ivy,b\n,Rose,c\n');
  expect(text).toBe('id,name,tag,line,error,reason\r\n,Rose,c,3,,The ID is missing.\r\n');
});

it('guards the reasons against formulas, and only these', async () => {
  const { text } = await write('plants.csv', 'id,name\n1,=Fern\n', (lines) =>
    reject(lines, 0, 40000, '=HYPERLINK(1)'),
  );
  expect(text).toContain("1,=Fern,2,40000,'=HYPERLINK(1)\r\n");
});

it.each(['\ufeff', ''])('begins with %j if the input did', async (mark) => {
  expect((await write('plants.csv', `${mark}id,name\nx,Rose\n`)).text.startsWith(`${mark}id,`)).toBe(true);
});

it('adds the reasons to the objects of NDJSON, and keeps the rest as it is written', async () => {
  const content = '{"id":9223372036854775807,"name":"Rose", "n":1.0}\n{"id":1}\n{"id":2\n{}\n[3]\n';
  const first = await write('plants.ndjson', content, (lines) => reject(lines, 0, 40003, taken));
  expect(first).toEqual({
    fileName: 'plants-problems.ndjson',
    text: [
      '{"id":9223372036854775807,"name":"Rose", "n":1.0,"rejected":{"line":1,"error":40003,"reason":"Plant 9223372036854775807 already exists with different values."}}',
      '{"id":1,"rejected":{"line":2,"reason":"The name is missing."}}',
      `{"text":"{\\"id\\":2","rejected":{"line":3,"reason":"This line cannot be read: Expected ',' or '}' but reached end of input at position 7."}}`,
      '{"rejected":{"line":4,"reason":"The ID is missing. The name is missing."}}',
      '{"text":"[3]","rejected":{"line":5,"reason":"The line must be a JSON object."}}',
      '',
    ].join('\n'),
  });
  const second = await write(first.fileName, first.text);
  expect(second.text).toContain('{"id":1,"rejected":{"line":2,"reason":"The name is missing."}}\n');
});

it("writes the person's edits instead of the file's texts", async () => {
  const texts = { ...noTexts, id: '9223372036854775808', name: 'Ivy' };
  const csv = await write('plants.csv', 'id,name,price\nx,,5\n', (lines) => lines.edit(0, texts));
  expect(csv.text).toMatch(/^9223372036854775808,Ivy,5,2,,.*The ID is too large/m);
  const formula = await write('plants.csv', 'id,name\nx,\n', (lines) =>
    lines.edit(0, { ...texts, name: '=1' }),
  );
  expect(formula.text).toContain("9223372036854775808,'=1,2,,");
  const ndjson = await write('plants.ndjson', '{"id":7,"name":"Ivy"}', (lines) => {
    reject(lines, 0, 40003, taken);
    lines.edit(0, { ...texts, id: '9223372036854775807' });
    reject(lines, 0, 40003, taken);
  });
  expect(ndjson.text).toContain('{"id":9223372036854775807,"name":"Ivy","rejected":{"line":1,"error":40003,');
});
