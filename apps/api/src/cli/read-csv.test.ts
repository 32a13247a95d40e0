import type { Plant } from '@plant-store/contract';
import { recordFormatsOf } from '@plant-store/contract/record-format';
import { resources } from '@plant-store/contract/resources';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { recordTypes } from './formats.js';
import { readCsv } from './read-csv.js';

const maxLength = 1_000_000;

/** Reads chunks as CSV; `taken` is how much was consumed. */
async function read(chunks: Iterable<string>) {
  let taken = 0;
  async function* take() {
    for (const chunk of chunks) {
      taken += chunk.length;
      yield Buffer.from(chunk);
    }
  }
  /** By their numbers. */
  const lines: Record<number, unknown> = {};
  let unused = '';
  const onUnused = (columns: string) => {
    unused = columns;
  };
  let error: unknown;
  try {
    for await (const line of readCsv(take(), {
      types: recordTypes,
      delimiter: undefined,
      maxLength,
      onUnused,
    }))
      lines[line.number] = 'record' in line ? line.record : line.reason;
  } catch (caught) {
    error = caught;
  }
  return { lines, unused, taken, message: error instanceof Error ? error.message : undefined };
}

/** The beginning, and then the same without end. */
function* endless(beginning: string, rest: string): Generator<string> {
  yield beginning;
  for (;;) yield rest.repeat(10_000);
}

const advice =
  'Add the closing double quote, or double the quote if it is part of the text. Then import the file again.';

it.each([
  [
    'numbers lines as an editor does, also behind fields that span several',
    ['id,name\r\n1,"a\r\nb\nc"\r\n\r\n2,Fern\r\nx,Ivy\r\n'],
    { 2: { id: 1n, name: 'a\r\nb\nc' }, 6: { id: 2n, name: 'Fern' }, 7: expect.stringContaining('id must') },
  ],
  [
    'takes a line break for one that is cut into two chunks',
    ['name,id\r', '\nFern,1\r', '\nIvy,2\r', '\n'],
    { 2: { id: 1n, name: 'Fern' }, 3: { id: 2n, name: 'Ivy' } },
  ],
  [
    'keeps a byte order mark at the beginning of a field',
    ['\uFEFFname,id\n', '\uFEFFFern,1\n', '\uFEFFIvy,2\n'],
    { 2: { id: 1n, name: '\uFEFFFern' }, 3: { id: 2n, name: '\uFEFFIvy' } },
  ],
  [
    'reads the text of an id, and rejects an id that was rounded',
    [
      'idText,name,ID\n9007199254740993,Fern,\n 9007199254740993 ,Ivy,9007199254740993\n',
      '9007199254740993,Oak,9007199254740992\n+1,Elm,\n,Yew,7\n',
    ],
    {
      2: { id: 9007199254740993n, name: 'Fern' },
      3: { id: 9007199254740993n, name: 'Ivy' },
      4: expect.stringMatching(/idText "9007199254740993" and id 9007199254740992 differ/),
      5: expect.stringMatching(/idText must be/),
      6: { id: 7n, name: 'Yew' },
    },
  ],
  ['needs no id beside its text', ['idtext,name\n7,Fern\n'], { 2: { id: 7n, name: 'Fern' } }],
])('%s', async (_, chunks, lines) => {
  expect((await read(chunks)).lines).toEqual(lines);
});

it.each([
  ['a line without columns', endless('x', 'x'), 1],
  ['fields', endless('id,name\n1,Fern\n2,', '"a",'), 3],
  ['a field that is not closed', endless('id,name\n1,"a\nb"\n2,Fern\n3,"Ivy\n', '4,Oak\n'), 5],
])('stops at a line without an end, with bounded memory: %s', async (_, chunks, number) => {
  const { message, taken } = await read(chunks);
  expect(message).toBe(
    `The quoted field that starts on line ${number} is never closed, or is longer than 1,000,000 characters. ${advice}`,
  );
  expect(taken).toBeLessThan(4 * maxLength);
});

it('does not read a column whose name only begins like another one', async () => {
  expect(await read(['identifier,ID,name in Latin,Name,tags,tag\n7,1,Filix,Fern,a,b\n'])).toMatchObject({
    lines: { 2: { id: 1n, name: 'Fern', tag: 'b' } },
    unused: 'the columns identifier, name in Latin, tags',
  });
});

it('takes at most 1,000 columns, and names no more than fit into a message', async () => {
  const table = (count: number) =>
    `id,name${Array.from({ length: count - 2 }, (_, column) => `,column ${column}`).join('')}\n1,Fern\n`;
  const most = await read([table(1_000)]);
  expect(most.lines).toEqual({ 2: { id: 1n, name: 'Fern' } });
  expect(most.unused).toMatch(/^the columns column 0, column 1, .*…$/);
  expect(most.unused.length).toBeLessThan(600);

  const { message } = await read([table(1_001)]);
  expect(message).toBe(
    'The file has 1,001 columns; the limit is 1,000. Keep only id, name, tag, and addedAt, then import the file again.',
  );
  const unknown = await read([`\u001b[2J,${'x'.repeat(5_000)}\n`]);
  expect(unknown.message).toMatch(/^The first line must contain .* Found: \\u001b\[2J, x+…\. Rename/);
  expect(unknown.message?.length).toBeLessThan(800);
});

it('reads a line of the maximum length for any chunks', async () => {
  const name = '"a","\n'.repeat(100_000);
  const text = `id,name\n1,"${name.replaceAll('"', '""')}"\n2,Fern\n`;
  const chunks = text.match(/.{1,65537}/gs) ?? [];
  expect((await read(chunks)).lines).toEqual({ 2: { id: 1n, name }, 100003: { id: 2n, name: 'Fern' } });
});

it('reads the texts of an export exactly', async () => {
  const character = fc.constantFrom(...`'=+-@＝\t\r\n;,"\uFEFF aä`);
  const text = fc.oneof(
    fc.string({ unit: character, minLength: 1 }),
    fc.string({ unit: 'binary', minLength: 1 }).filter((any) => any.isWellFormed() && !any.includes('\0')),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ name: text, tag: text }), { minLength: 1 }), async (texts) => {
      const plants = texts.map((plant, index) => ({ id: BigInt(index), ...plant }));
      const { head, write } = recordFormatsOf<Plant>(resources.plant).csv;
      const { lines } = await read([head, ...plants.map(write)]);
      expect(Object.values(lines)).toEqual(plants);
    }),
  );
});
