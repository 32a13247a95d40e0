import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Case, expectReply, findDifference, ok, type Reply } from './exchange.js';
import { operationCases } from './operation-cases.js';
import { requestCases } from './request-cases.js';

const long = 'x'.repeat(500);

it.each<[what: string, expected: unknown, actual: unknown, difference: RegExp]>([
  ['status', ok('{}'), { ...ok('{}'), status: 400 }, /^status:\n {2}expected 200\n {2}received 400$/],
  [
    'header',
    ok('{}', { allow: 'GET' }),
    ok('{}'),
    /^headers\.allow:\n {2}expected "GET"\n {2}received nothing$/,
  ],
  ['member of a body', ok('{"a":[1,{"b":2}]}'), ok('{"a":[1,{"b":3}]}'), /^body\.a\[1\]\.b:\n.* 2\n.* 3$/],
  ['large number', ok('{"id":9007199254740993}'), ok('{"id":9007199254740992}'), /^body\.id:.*3"\n.*2"$/s],
  ['order of members', ok('{"a":1,"b":2}'), ok('{"b":2,"a":1}'), /^body:\n.*"{\\"a.*\n.*"{\\"b/],
  [
    'long text',
    ok(`${long}1${long}`),
    ok(`${long}2${long}`),
    /^body:\n.{10,60}x1.{1,200}\n.{10,60}x2.{1,200}$/,
  ],
])('names the %s that differs, and shows only that', (_what, expected, actual, difference) => {
  expect(findDifference(expected, expected)).toBeUndefined();
  expect(findDifference(expected, actual)).toMatch(difference);
});

describe.each(Object.entries({ ...operationCases, ...requestCases }))('of %s', (topic, cases) => {
  it('names a line of its own for each case that differs', () => {
    for (const expected of cases) {
      const [file, line] = placeOf(topic, expected);
      const lines = readFileSync(new URL(file, import.meta.url), 'utf8').split('\n');
      const start = lines.findIndex((text) => text === `  ${topic}: [` || text === `  '${topic}': [`) + 1;
      expect(start).toBeGreaterThan(0);
      expect(line, expected[0]).toBeGreaterThanOrEqual(start);
      expect(line, expected[0]).toBeLessThan(lines.indexOf('  ],', start) + 1);
    }
  });
});

function placeOf(topic: string, expected: Case): readonly [file: string, line: number] {
  const other: Reply = { status: 0, body: '', headers: {} };
  const compare = () => expectReply(topic, expected, other);
  expect(compare).toThrow(/^[\w-]+-cases\.ts:\d+: the reply to .* differs in status:/);
  try {
    compare();
  } catch (error) {
    const [, file = '', line] = /^(.*?):(\d+)/.exec((error as Error).message) ?? [];
    return [file, Number(line)];
  }
  throw new Error('It does not differ');
}
