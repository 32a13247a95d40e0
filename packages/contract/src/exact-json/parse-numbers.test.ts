import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INT64_MAX, INT64_MIN } from '../int64.js';
import { NumberLiteral } from './number.js';
import { parseExactJson } from './parse.js';

const numRuns = 10_000;
const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });

describe('integers', () => {
  it.each([
    ['0', 0],
    ['-0', 0],
    ['0.0', 0],
    ['-0.0', 0],
    ['-0.0e-5', 0],
    ['0e999999999', 0],
    ['0e-999999999', 0],
    ['1.0', 1],
    ['1e2', 100],
    ['1E+2', 100],
    ['-1.50e1', -15],
    ['100e-2', 1],
    ['-7', -7],
    ['999999999999999', 999999999999999],
    ['-999999999999999', -999999999999999],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['9007199254740993.0', 9007199254740993n],
    ['9.007199254740993e15', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['922337203685477580.7e1', 9223372036854775807n],
    ['-92233720368547758080e-1', -9223372036854775808n],
    ['1e18', 1000000000000000000n],
  ])('%s is exactly that', (text, expected) => {
    expect(parseExactJson(text)).toBe(expected);
  });

  it('are exact in whatever notation', () => {
    fc.assert(
      fc.property(int64, fc.nat(25), fc.nat(25), (integer, zeros, places) => {
        expect(parseExactJson(write(integer, zeros, places))).toBe(exact(integer));
      }),
      { numRuns },
    );
  });

  it('are exact when trailing zeros are left to the exponent', () => {
    const written = fc.nat(18).chain((exponent) => {
      const scale = 10n ** BigInt(exponent);
      return fc.tuple(fc.bigInt({ min: INT64_MIN / scale, max: INT64_MAX / scale }), fc.constant(exponent));
    });
    fc.assert(
      fc.property(written, ([digits, exponent]) => {
        expect(parseExactJson(`${digits}e${exponent}`)).toBe(exact(digits * 10n ** BigInt(exponent)));
      }),
      { numRuns },
    );
  });
});

describe('fractions', () => {
  it.each([
    ['1.5', 1.5],
    ['-0.25', -0.25],
    ['15e-1', 1.5],
    ['1e-7', 1e-7],
    ['123456789.125', 123456789.125],
    ['9999999999999.9', 9999999999999.9],
    ['-999999999999.9', -999999999999.9],
    ['999999999999.999', 999999999999.999],
    ['5e-324', 5e-324],
  ])('%s is a number', (text, expected) => {
    expect(parseExactJson(text)).toBe(expected);
  });

  it('never become an integer by rounding', () => {
    const tail = fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 9 }));
    fc.assert(
      fc.property(int64, tail, (integer, [zeros, digit]) => {
        const text = `${integer}.${'0'.repeat(zeros)}${digit}`;
        const parsed = parseExactJson(text);
        if (typeof parsed === 'number') expect(parsed).not.toSatisfy(Number.isInteger);
        else expect(parsed).toStrictEqual(new NumberLiteral(text));
      }),
      { numRuns },
    );
  });
});

describe('numbers that neither an int64 nor a fraction can stand for', () => {
  it.each([
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
  ])('%s is kept as it is written', (text) => {
    expect(parseExactJson(text)).toStrictEqual(new NumberLiteral(text));
  });

  it.each([
    ['400 digits', '7'.repeat(400)],
    ['a huge exponent', `1e${'9'.repeat(1000)}`],
    ['a huge negative exponent', `1e-${'9'.repeat(1000)}`],
    ['2^20 digits', '9'.repeat(2 ** 20)],
    ['half a million zeros between ones', `1${'0'.repeat(500_000)}1`],
    ['half a million zeros before a fraction', `1.${'0'.repeat(500_000)}1`],
  ])('are kept as they are written: %s', (_, text) => {
    const parsed = parseExactJson(text);
    expect(parsed instanceof NumberLiteral && parsed.text === text).toBe(true);
  });

  it.each([
    ['after', `1${'0'.repeat(500_000)}e-500000`],
    ['before', `0.${'0'.repeat(499_999)}1e500000`],
    ['behind the point', `1.${'0'.repeat(500_000)}`],
  ])('half a million zeros that an exponent or the point takes away leave 1 (%s)', (_, text) => {
    expect(parseExactJson(text)).toBe(1);
  });

  it('are all integers beyond an int64', () => {
    const beyond = fc.oneof(
      fc.bigInt({ min: INT64_MAX + 1n, max: 10n ** 40n }),
      fc.bigInt({ min: -(10n ** 40n), max: INT64_MIN - 1n }),
    );
    fc.assert(
      fc.property(beyond, fc.nat(25), fc.nat(25), (integer, zeros, places) => {
        const text = write(integer, zeros, places);
        expect(parseExactJson(text)).toStrictEqual(new NumberLiteral(text));
      }),
      { numRuns },
    );
  });
});

/** The integer with `zeros` appended, the point moved left by `places`, and the exponent that makes up for both. */
function write(integer: bigint, zeros: number, places: number): string {
  const magnitude = integer < 0n ? -integer : integer;
  const digits = `${magnitude}${'0'.repeat(zeros)}`.padStart(places + 1, '0');
  const point = digits.length - places;
  const whole = BigInt(digits.slice(0, point));
  const fraction = places > 0 ? `.${digits.slice(point)}` : '';
  const exponent = places === zeros ? '' : `e${places - zeros}`;
  return `${integer < 0n ? '-' : ''}${whole}${fraction}${exponent}`;
}

function exact(integer: bigint): number | bigint {
  return integer > -(2n ** 53n) && integer < 2n ** 53n ? Number(integer) : integer;
}
