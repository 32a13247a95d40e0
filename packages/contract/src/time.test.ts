import { expect, it } from 'vitest';
import { parseTime } from './time.js';

const ten = Date.parse('2026-11-25T10:00:00.000Z');
const ms123 = ten + 123;

it.each([
  ['Python, datetime.isoformat()', '2026-11-25T10:00:00+00:00', ten],
  ['Python, with microseconds', '2026-11-25T10:00:00.123456+00:00', ms123],
  ['Python, str(datetime)', '2026-11-25 11:00:00+01:00', ten],
  ['.NET, "o"', '2026-11-25T10:00:00.1230000Z', ms123],
  ['.NET, "o" with an offset', '2026-11-25T15:30:00.1239999+05:30', ms123],
  ['Java, Instant', '2026-11-25T10:00:00Z', ten],
  ['Java, Instant with nanoseconds', '2026-11-25T10:00:00.123456789Z', ms123],
  ['Java, OffsetDateTime of a whole minute', '2026-11-25T10:00Z', ten],
  ['Java, OffsetDateTime with an offset', '2026-11-25T11:00+01:00', ten],
  ['Go, RFC3339Nano', '2026-11-25T02:00:00.1-08:00', ten + 100],
  ['JavaScript, toISOString()', '2026-11-25T10:00:00.123Z', ms123],
  ['lower case', '2026-11-25t10:00:00.123z', ms123],
  ['an offset that is not known', '2026-11-25T10:00:00-00:00', ten],
  ['the largest offset', '2026-11-26T09:59:00+23:59', ten],
  ['February 29', '2028-02-29T00:00:00Z', Date.UTC(2028, 1, 29)],
  ['a leap second', '2016-12-31T23:59:60Z', Date.UTC(2017, 0, 1)],
  ['a leap second elsewhere', '2017-01-01T05:29:60.999+05:30', Date.UTC(2017, 0, 1)],
  ['before 1970', '1969-12-31T23:59:59.999Z', -1],
  ['a year of the first century', '0050-01-01T00:00:00Z', Date.parse('0050-01-01T00:00:00Z')],
  ['before the year 0 in UTC', '0000-01-01T00:00:00+01:00', Date.parse('0000-01-01T00:00:00Z')],
  ['after the year 9999 in UTC', '9999-12-31T23:59:59-01:00', Date.parse('9999-12-31T23:59:59.999Z')],
])('reads a time as written by %s', (_, text, expected) => {
  expect(parseTime(text, 'down')).toBe(expected);
});

it.each([
  ['000', 0, 0],
  ['0000000', 0, 0],
  ['0001', 0, 1],
  ['0000000001', 0, 1],
  ['123000001', 123, 124],
  ['9999', 999, 1_000],
  [`${'0'.repeat(10_000)}1`, 0, 1],
])('rounds .%s seconds down or up to a millisecond', (fraction, down, up) => {
  const text = `2026-11-25T10:00:00.${fraction}Z`;
  expect(parseTime(text, 'down')).toBe(ten + down);
  expect(parseTime(text, 'up')).toBe(ten + up);
});

const wrong = `2026|2026-11-25|10:00:00Z|1795600800000|now|Wed, 25 Nov 2026 10:00:00 GMT|2026-11-25T10:00:00|
2026-11-25T10:00|2026-11-25 10:00:00|2026-11-25T10:00:00+01|2026-11-25T10:00:00+0100|
2026-11-25T10:00:00+24:00|2026-11-25T10:00:00+01:60|2026-02-29T10:00:00Z|2026-02-30T10:00:00Z|
2026-04-31T10:00:00Z|2026-13-01T10:00:00Z|2026-11-00T10:00:00Z|2026-11-25T24:00:00Z|
2026-11-25T10:60:00Z|2026-11-25T10:00:61Z|2026-11-25T10:00:60Z|2016-12-31T23:59:60+01:00|
2026-11-25T10:00:00.Z|2026-11-25T10:00:00,1Z|02026-11-25T10:00:00Z|+002026-11-25T10:00:00Z|
2026-11-25T10:00:00Z | 2026-11-25T10:00:00Z|2026-11-25  10:00:00Z|2026-11-25T10Z|２０２６-11-25T10:00:00Z`;

it.each(['', ...wrong.replaceAll('\n', '').split('|'), '2026-11-25T10:00:00\u221201:00'])(
  'rejects %j',
  (text) => {
    expect(parseTime(text, 'down')).toBeUndefined();
  },
);
