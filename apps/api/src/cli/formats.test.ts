import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  isBlank,
  type Line,
  type RecordLine,
  readIdLine,
  readRecordLine,
  recordTypes,
  splitLines,
} from './formats.js';

const differ =
  /^The plant is not valid: idText "9007199254740993" and id 9007199254740992 differ: send idText without id, because .* 2\^53\.$/;

/** A line without its resource. */
const contentOf = (line: RecordLine | undefined) =>
  line === undefined || 'reason' in line ? line : { record: line.record };

// `test/cli/import-lines.test.ts` has more lines that are wrong.
it.each([
  ['{"id":9223372036854775807,"name":"Fern"}', { record: { id: 9223372036854775807n, name: 'Fern' } }],
  [
    '{"id":-9223372036854775808,"name":"","tag":""}',
    { record: { id: -9223372036854775808n, name: '', tag: '' } },
  ],
  [' {"name":"Fern","id":1e2,"note":[]} \r', { record: { id: 100n, name: 'Fern' } }],
  // As the API shows a plant: with all digits, and as JSON.parse rounds it.
  [
    '{"id":9007199254740993,"idText":"9007199254740993","name":"Fern","addedAt":"1970-01-01T00:00:00.007Z"}',
    { record: { id: 9007199254740993n, name: 'Fern', addedAt: 7 } },
  ],
  ['{"idText":"9007199254740993","name":"Fern"}', { record: { id: 9007199254740993n, name: 'Fern' } }],
  ['{"idText":"9007199254740993","deleted":true}', { record: { id: 9007199254740993n, deleted: true } }],
  ...['"name":"Fern"', '"deleted":true'].map((member): [string, object] => [
    `{"id":9007199254740992,"idText":"9007199254740993",${member}}`,
    { reason: expect.stringMatching(differ) },
  ]),
  ['\uFEFF{}', { reason: 'The line is not valid JSON: it starts with a byte order mark.' }],
  ['[]', { reason: 'The plant is not valid: it must be a JSON object.' }],
  [
    `{"id":1,"name":"","original":"${'a_-Z'.repeat(11).slice(1)}"}`,
    { record: { id: 1n, name: '', original: 'a_-Z'.repeat(11).slice(1) } },
  ],
  ...['2026-11-25T10:00:00.123Z', '2026-11-25 11:00:00.123999+01:00'].map((time): [string, object] => [
    `{"id":1,"name":"","addedAt":"${time}"}`,
    { record: { id: 1n, name: '', addedAt: Date.UTC(2026, 10, 25, 10, 0, 0, 123) } },
  ]),
  ...['null', '""', '7', `"${'x'.repeat(44)}"`].map((original): [string, object] => [
    `{"id":1,"name":"","original":${original}}`,
    { reason: expect.stringMatching(/^The plant is not valid: original must be/) },
  ]),
])('reads %s', (text, expected) => {
  expect(contentOf(readRecordLine(Buffer.from(text), recordTypes))).toEqual(expected);
});

it('reads an id of more digits than a number of JavaScript has', () => {
  const [plainIdType] = recordTypes;
  const read = (text: string) => contentOf(readIdLine(Buffer.from(text), recordTypes, { plainIdType }));
  const expected = { record: { id: 9007199254740993n, deleted: true } };
  for (const text of ['9007199254740993', '{"idText":"9007199254740993","name":"Fern"}'])
    expect(read(text)).toEqual(expected);
  const rounded = '{"id":9007199254740992,"idText":"9007199254740993"}';
  expect(read(rounded)).toEqual({ reason: expect.stringMatching(differ) });
});

it('knows blank lines', () => {
  for (const blank of ['', ' ', '\t \r']) expect(isBlank(Buffer.from(blank)), blank).toBe(true);
  for (const text of ['{', ' {', '\u00a0', '\u2028']) expect(isBlank(Buffer.from(text)), text).toBe(false);
});

async function* chunksOf(...chunks: (string | Buffer)[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

/** The lines as text, `undefined` for each that is too long; checks that they are numbered from 1. */
async function split(chunks: AsyncIterable<Buffer>, limitBytes = 100) {
  const lines: Line[] = [];
  for await (const line of splitLines(chunks, limitBytes)) lines.push(line);
  expect(lines.map(({ number }) => number)).toEqual(lines.map((_, index) => index + 1));
  return lines.map(({ bytes }) => bytes?.toString('utf8'));
}

it.each<[chunks: readonly (string | Buffer)[], lines: readonly (string | undefined)[]]>([
  [[''], []],
  [['a\n\n\nb\n\n'], ['a', '', '', 'b', '']],
  [['a\r\nb\r\n'], ['a\r', 'b\r']],
  [['\u2028\u0085\n'], ['\u2028\u0085']],
  // A byte order mark at the very beginning is removed, even if it is split.
  [['\uFEFFa\n\uFEFFb'], ['a', '\uFEFFb']],
  [[Buffer.from([0xef, 0xbb]), Buffer.from([0xbf, 0x61])], ['a']],
  // After a line that is longer than the limit it continues with the next.
  [
    ['0123456', '78\n12345678\n', '0123456', '78', '9\n', 'd'],
    [undefined, '12345678', undefined, 'd'],
  ],
])('splits %j', async (chunks, lines) => {
  expect(await split(chunksOf(...chunks), 8)).toEqual(lines);
});

it('splits a text into the same lines for any chunks', async () => {
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
