import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INT64_MAX, INT64_MIN } from '../int64.js';
import { parseExactJson } from './parse.js';
import { type ExactJson, stringifyExactJson } from './stringify.js';

const numRuns = 500;
const text = fc.string({ unit: 'binary' });
const fraction = fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true });
const plainLeaf = fc.oneof(text, fc.maxSafeInteger(), fraction, fc.boolean(), fc.constant(null));
const unsafeInteger = fc.oneof(
  fc.bigInt({ min: 2n ** 53n, max: INT64_MAX }),
  fc.bigInt({ min: INT64_MIN, max: -(2n ** 53n) }),
);

function jsonOf(leaf: fc.Arbitrary<ExactJson>, name: fc.Arbitrary<string>): fc.Arbitrary<ExactJson> {
  const { value } = fc.letrec<{ value: ExactJson }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(name, tie('value'), { maxKeys: 4 }),
    ),
  }));
  return value;
}

describe('stringifyExactJson', () => {
  it('writes JSON that parseExactJson reads back, including 64-bit integers', () => {
    const name = text.filter((candidate) => candidate !== '__proto__');
    fc.assert(
      fc.property(jsonOf(fc.oneof(plainLeaf, unsafeInteger), name), (value) => {
        expect(parseExactJson(stringifyExactJson(value))).toEqual(value);
      }),
      { numRuns },
    );
  });

  it('writes the same as JSON.stringify if there is no bigint', () => {
    fc.assert(
      fc.property(jsonOf(plainLeaf, text), (value) => {
        expect(stringifyExactJson(value)).toBe(JSON.stringify(value));
      }),
      { numRuns },
    );
  });

  it.each<[string, ExactJson]>([
    ['0', -0],
    ['9007199254740991', 2 ** 53 - 1],
    ['5e-324', 5e-324],
    [`1${'0'.repeat(400)}`, 10n ** 400n],
    ['[null,[true]]', [null, [true]]],
    ['{"id":9223372036854775807,"name":"é \\" \\n"}', { id: INT64_MAX, tag: undefined, name: 'é " \n' }],
    ['[{}]', [{ tag: undefined }]],
    ['"\\ud800"', '\ud800'],
  ])('writes %s', (expected, value) => {
    expect(stringifyExactJson(value)).toBe(expected);
  });

  it.each([Number.NaN, Infinity, -Infinity, 2 ** 53, -(2 ** 53), 1e21, Number.MAX_VALUE])(
    'refuses the number %s at any depth',
    (value) => {
      expect(() => stringifyExactJson(value)).toThrow(RangeError);
      expect(() => stringifyExactJson({ plants: [{ id: value }] })).toThrow(RangeError);
    },
  );
});
