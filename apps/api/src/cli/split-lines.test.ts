import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Line, splitLines } from './split-lines.js';

async function* chunksOf(...chunks: (string | Buffer)[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

/** The lines as text, `undefined` for each that is too long; checks that they are numbered from 1. */
async function split(chunks: AsyncIterable<Buffer>, limitBytes = 100, signal?: AbortSignal) {
  const lines: Line[] = [];
  for await (const line of splitLines(chunks, limitBytes, signal)) lines.push(line);
  expect(lines.map(({ number }) => number)).toEqual(lines.map((_, index) => index + 1));
  return lines.map(({ bytes }) => bytes?.toString('utf8'));
}

it.each([
  { text: '', lines: [] },
  { text: 'a', lines: ['a'] },
  { text: 'a\n', lines: ['a'] },
  { text: 'a\nb', lines: ['a', 'b'] },
  { text: '\n', lines: [''] },
  { text: 'a\n\n\nb\n\n', lines: ['a', '', '', 'b', ''] },
  { text: 'a\r\nb\r\n', lines: ['a\r', 'b\r'] },
  { text: '\u2028\u0085\n', lines: ['\u2028\u0085'] },
])('splits $text', async ({ text, lines }) => {
  expect(await split(chunksOf(text))).toEqual(lines);
});

it('splits a text into the same lines, however it is cut into chunks', async () => {
  const cuts = fc.array(fc.nat(60), { maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ maxLength: 12, unit: 'grapheme' })), cuts, async (parts, cuts) => {
      const text = Buffer.from(parts.join('\n').replace('\uFEFF', ''));
      const ends = [...cuts.toSorted((a, b) => a - b), text.length];
      const chunks = ends.map((end, index) => text.subarray(ends[index - 1] ?? 0, end));
      const lines = text.toString('utf8').split('\n');
      if (lines.at(-1) === '') lines.pop();
      expect(await split(chunksOf(...chunks))).toEqual(lines);
    }),
  );
});

it('removes a byte order mark at the very beginning, cut or not', async () => {
  expect(await split(chunksOf('\uFEFFa\n\uFEFFb'))).toEqual(['a', '\uFEFFb']);
  expect(await split(chunksOf(Buffer.from([0xef, 0xbb]), Buffer.from([0xbf, 0x61])))).toEqual(['a']);
});

it('returns no bytes for a line that is longer than the limit, and continues with the next', async () => {
  expect(await split(chunksOf('aaa', 'aa\nbbbb\ncc', 'cc', 'c\n', 'ddd'), 4)).toEqual([
    undefined,
    'bbbb',
    undefined,
    'ddd',
  ]);
});

it('drops a line that an abort has cut off', async () => {
  const controller = new AbortController();
  async function* stopped() {
    yield Buffer.from('a\nb');
    controller.abort();
  }
  expect(await split(stopped(), 100, controller.signal)).toEqual(['a']);
});
