import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { expectReply, findDifference, ok } from './exchange.js';
import { operationCases } from './operation-cases.js';
import { requestCases } from './request-cases.js';

const long = 'x'.repeat(500);

it.each<[what: string, expected: unknown, actual: unknown, difference: RegExp]>([
  ['status', ok('{}'), { ...ok('{}'), status: 400 }, /status: 200\n.*status: 400$/s],
  ['header', ok('{}', { allow: 'GET' }), ok('{}'), /^\n {2}expected .*allow: GET.*\n {2}received (?!.*GET)/s],
  ['large number', ok('{"id":9007199254740993}'), ok('{"id":9007199254740992}'), /93}.*92}/s],
  ['order of members', ok('{"a":1,"b":2}'), ok('{"b":2,"a":1}'), /{"a":1,"b":2}.*{"b":2,"a":1}/s],
  ['long text', ok(`${long}1${long}`), ok(`${long}2${long}`), /^\n.{12}x{60}1x{199}\n.{12}x{60}2x{199}$/],
])('shows the %s that differs, and little else', (_what, expected, actual, difference) => {
  expect(findDifference(expected, structuredClone(expected))).toBeUndefined();
  expect(findDifference(expected, actual)).toMatch(difference);
});

it.each(Object.entries({ ...operationCases, ...requestCases }))(
  'names the line of each case of %s',
  (topic, cases) => {
    for (const expected of cases) {
      const compare = () => expectReply(topic, expected, { status: 0, body: '', headers: {} });
      expect(compare).toThrow(/^[\w-]+-cases\.ts:\d+: the reply to .* differs:/);
      const [, file = '', line] = /^(.*?):(\d+)/.exec(String(catchMessage(compare))) ?? [];
      const lines = readFileSync(new URL(file, import.meta.url), 'utf8').split('\n');
      const start = lines.findIndex((text) => text === `  ${topic}: [` || text === `  '${topic}': [`) + 1;
      expect(Number(line)).toBeGreaterThanOrEqual(start);
      expect(Number(line)).toBeLessThan(lines.indexOf('  ],', start) + 1);
    }
  },
);

function catchMessage(run: () => void): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
