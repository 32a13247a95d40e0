import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INT64_MAX, INT64_MIN, NumberLiteral } from '../int64.js';
import { parseExactJson } from './parse.js';

const numRuns = 2_000;
const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });
const zeros = '0'.repeat(500_000);

describe('integers', () => {
  it.each<[number | bigint, string[]]>([
    [0, ['0', '-0', '0.0', '-0.0', '-0.0e-5', '0e999999999', '0e-999999999']],
    [1, ['1.0', '100e-2', `1${zeros}e-500000`, `0.${zeros.slice(1)}1e500000`, `1.${zeros}`]],
    [100, ['1e2', '1E+2']],
    [-15, ['-15', '-1.50e1']],
    [999999999999999, ['999999999999999', '999999999999999.0']],
    [-999999999999999, ['-999999999999999', '-9999999999999990e-1']],
    [9007199254740991, ['9007199254740991', '9007199254740991.0']],
    [-9007199254740991, ['-9007199254740991']],
    [9007199254740992n, ['9007199254740992', '9007199254740992.0']],
    [9007199254740993n, ['9007199254740993', '9007199254740993.0', '9.007199254740993e15']],
    [-9007199254740993n, ['-9007199254740993', '-9007199254740993.0']],
    [1000000000000000000n, ['1e18', '0.1e19']],
    [9223372036854775807n, ['9223372036854775807', '922337203685477580.7e1']],
    [-9223372036854775808n, ['-9223372036854775808', '-92233720368547758080e-1']],
  ])('%s is exact in each notation', (integer, texts) => {
    for (const text of texts) expect(parseExactJson(text), text.slice(0, 50)).toBe(integer);
  });

  it('are exact in any notation, and keep their text beyond an int64', () => {
    const integers = fc.oneof(int64, fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }));
    fc.assert(
      fc.property(integers, fc.nat(25), fc.nat(25), (integer, appended, places) => {
        const text = write(integer, appended, places);
        const isInt64 = BigInt.asIntN(64, integer) === integer;
        const isSafe = integer > -(2n ** 53n) && integer < 2n ** 53n;
        const exact = isSafe ? Number(integer) : integer;
        expect(parseExactJson(text)).toStrictEqual(isInt64 ? exact : new NumberLiteral(text));
      }),
      { numRuns },
    );
  });
});

describe('fractions', () => {
  it.each([
    '1.5',
    '-0.25',
    '15e-1',
    '1e-7',
    '123456789.125',
    '9999999999999.9',
    '999999999999.999',
    '5e-324',
  ])('%s is a number', (text) => {
    expect(parseExactJson(text)).toBe(Number(text));
  });

  it('never become an integer by rounding', () => {
    fc.assert(
      fc.property(int64, fc.nat(20), fc.integer({ min: 1, max: 9 }), (integer, places, digit) => {
        const text = `${integer}.${'0'.repeat(places)}${digit}`;
        const parsed = parseExactJson(text);
        if (typeof parsed === 'number') expect(parsed).not.toSatisfy(Number.isInteger);
        else expect(parsed).toStrictEqual(new NumberLiteral(text));
      }),
      { numRuns },
    );
  });
});

it('a number that is neither an int64 nor an exact fraction stays as written', () => {
  for (const text of [
    '9223372036854775808',
    '-9223372036854775809',
    '92233720368547758070',
    '-92233720368547758080',
    '9223372036854775808.0',
    '1e19',
    '1e21',
    '1.0000000000000000001',
    '9007199254740993.5',
    '1e400',
    '-1e400',
    '1e-400',
    '7'.repeat(400),
    `1e${'9'.repeat(1000)}`,
    `1e-${'9'.repeat(1000)}`,
    '9'.repeat(2 ** 20),
    `1${zeros}1`,
    `1.${zeros}1`,
  ]) {
    const parsed = parseExactJson(text);
    expect(parsed instanceof NumberLiteral && parsed.text === text, text.slice(0, 50)).toBe(true);
  }
});

/** The integer with zeros appended, the point moved left by some places, and the exponent that makes up for both. */
function write(integer: bigint, appended: number, places: number): string {
  const magnitude = integer < 0n ? -integer : integer;
  const digits = `${magnitude}${'0'.repeat(appended)}`.padStart(places + 1, '0');
  const point = digits.length - places;
  const whole = BigInt(digits.slice(0, point));
  const fraction = places > 0 ? `.${digits.slice(point)}` : '';
  const exponent = places === appended ? '' : `e${places - appended}`;
  return `${integer < 0n ? '-' : ''}${whole}${fraction}${exponent}`;
}
