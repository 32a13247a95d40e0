import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBlank, type Line, readPlantLine, splitLines } from './formats.js';

const read = (text: string) => readPlantLine(Buffer.from(text));

it.each([
  ['{"id":9223372036854775807,"name":"Fern"}', { id: 9223372036854775807n, name: 'Fern' }],
  ['{"id":-9223372036854775808,"name":"","tag":""}', { id: -9223372036854775808n, name: '', tag: '' }],
  [' {"name":"Fern","id":1e2,"note":[]} \r', { id: 100n, name: 'Fern' }],
])('reads %s', (text, plant) => {
  expect(read(text)).toEqual({ plant });
});

it.each([
  ['{"id":1', "The line is not valid JSON: Expected ',' or '}' but reached end of input at position 7."],
  ['{"id":1}{}', "The line is not valid JSON: Expected end of input but got '{' at position 8."],
  ['\uFEFF{}', 'The line is not valid JSON: it starts with a byte order mark.'],
  ['{"name":1}', 'The plant is not valid: id is required; name must be a string.'],
  ['[]', 'The plant is not valid: the body must be a JSON object.'],
  [
    '{"id":9223372036854775808,"name":"\\u0000","tag":null}',
    'The plant is not valid: id must be an integer from -9223372036854775808 to 9223372036854775807; name must not contain the character NUL (U+0000); tag must be a string.',
  ],
])('says what is wrong with %s', (text, reason) => {
  expect(read(text)).toEqual({ reason });
});

it('says when a line is not in UTF-8', () => {
  expect(readPlantLine(Buffer.from('{"id":1,"name":"\xe9"}', 'latin1'))).toEqual({
    reason: 'The line is not valid JSON: it is not in UTF-8.',
  });
});

describe('isBlank', () => {
  it.each(['', ' ', '\t \r'])('takes %j for blank', (text) => expect(isBlank(Buffer.from(text))).toBe(true));
  it.each(['{', ' {', '\u00a0', '\u2028'])('takes %j for a line', (text) =>
    expect(isBlank(Buffer.from(text))).toBe(false),
  );
});

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
