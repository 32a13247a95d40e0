import { it } from 'vitest';
import { expectStored } from '../support/expect-stored.js';
import { postPlant } from '../support/post-plant.js';
import { useTestService } from '../support/start-test-service.js';

const service = useTestService();

/** All characters between two code points, inclusive. */
function characters(from: number, to: number): string {
  return String.fromCodePoint(...Array.from({ length: to - from + 1 }, (_, i) => from + i));
}

/** Escapes every UTF-16 code unit. */
const escapeAll = (text: string) =>
  text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const texts: [title: string, text: string][] = [
  ['empty', ''],
  ['a space', ' '],
  ['spaces around', '  Monstera  '],
  ['line breaks and tabs around', '\r\n\tMonstera\t\r\n'],
  ['no-break and other wide spaces around', '\u00a0\u3000Monstera\u2003\u00a0'],
  ['every control character but NUL', characters(0x01, 0x1f)],
  ['DEL and the C1 controls', characters(0x7f, 0x9f)],
  ['quotes and backslashes', '"\\"\\\\"\'`'],
  ['what looks like an escape', '\\u0000 \\n %00 &#0;'],
  ['what looks like SQL', "'); DROP TABLE plants; --"],
  ['what looks like a number', '007'],
  ['what looks like a large number', '9223372036854775808'],
  ['what looks like null', 'null'],
  ['what looks like an array', '["a",1]'],
  ['what looks like an object', '{"$.id":1}'],
  ['a name of JavaScript', '__proto__'],
  ['an emoji', '🪴'],
  ['an emoji sequence', '👩🏽‍🌾🏳️‍🌈'],
  ['a composed letter', 'caf\u00e9'],
  ['the same letter, combined', 'cafe\u0301'],
  ['Hangul, combined', '\u1112\u1161\u11ab'],
  ['a compatibility letter', '\ufb01\u212b\u2126'],
  ['many marks on one letter', `e${'\u0301'.repeat(1_000)}`],
  ['right to left', '\u202eתומר\u202c'],
  ['line separators', '\u2028\u2029\u0085'],
  ['a byte order mark within', 'a\ufeffb'],
  ['a byte order mark before', '\ufeffa'],
  ['noncharacters', '\ufffe\uffff\ufdd0\u{1ffff}\u{10ffff}'],
  ['the replacement character', '\ufffd'],
  ['private use', '\ue000\u{f0000}'],
  ['letters that change length in another case', 'ẞßİı'],
  ['nearly as long as a body may be', '🪴'.repeat(40_000)],
];

it.each(texts.map(([title, text], index) => [title, text, 2 * index] as const))(
  'a text is stored exactly, sent as it is and in escapes: %s',
  async (_, text, id) => {
    for (const [at, sent] of [JSON.stringify(text), `"${escapeAll(text)}"`].entries()) {
      const row = { id: String(id + at), name: text, tag: text };
      const body = `{"id":${row.id},"name":${sent},"tag":${sent}}`;
      await expectStored(service, postPlant(service, body), row);
    }
  },
);
