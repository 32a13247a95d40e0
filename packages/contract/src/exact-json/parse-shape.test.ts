import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumberLiteral } from '../int64.js';
import { type JsonShape, parseExactJson } from './parse.js';

const plant: JsonShape = { members: ['id', 'name', 'tag'].map((name) => ({ name, shape: {} })) };
const batch: JsonShape = { members: [{ name: 'plants', shape: { items: plant, maxItems: 3 } }] };

describe('with a shape', () => {
  it.each<[string, JsonShape, unknown]>([
    ['{"id":9007199254740993,"name":"Rose","x":1}', plant, { id: 9007199254740993n, name: 'Rose' }],
    [String.raw`{"\u0069d":1,"n\u0061me":"R\u006fse"}`, plant, { id: 1, name: 'Rose' }],
    [String.raw`{"id\n":1,"\"":2,"ID":3,"i":4,"idx":5,"":6}`, plant, {}],
    ['{"toString":1,"constructor":{"a":1},"length":2}', plant, {}],
    ['{"id":{"id":1},"name":[[1],"a"],"tag":"t"}', plant, { id: {}, name: [], tag: 't' }],
    ['[{"id":1}]', plant, []],
    ['"id"', plant, 'id'],
    ['{"plants":[{"id":1,"x":[1]},[2],7,{"id":4}],"x":[]}', batch, { plants: [{ id: 1 }, [], 7, null] }],
    ['{"plants":[1,2,3]}', batch, { plants: [1, 2, 3] }],
    ['{"plants":{"plants":[1]}}', batch, { plants: {} }],
    ['{"a":[{"b":1,"a":2}]}', { members: [{ name: 'a', shape: { items: {} } }] }, { a: [{}] }],
    ['[[1],[2]]', { items: { items: {} } }, [[1], [2]]],
    // An unused member may differ from others of its name.
    ['{"x":1,"x":2,"id":1}', plant, { id: 1 }],
    ['{"x":[{"y":1,"y":2}],"id":1,"x":null}', plant, { id: 1 }],
    ['{"id":1,"id":1.0,"tag":[1],"tag":[2]}', plant, { id: 1, tag: [] }],
    // A name that is almost forbidden.
    ['{"__proto":1,"__proto___":1,"_\\u005fprotO__":{"_\\u005fprotO__":1}}', plant, {}],
    ['{"x":{"\\\\u005f_proto__":1},"__proto__\\u0000":1}', plant, {}],
    [`{"x":${'['.repeat(499)}${']'.repeat(499)}}`, plant, {}],
  ])('of %s only the used parts are built', (text, shape, expected) => {
    expect(parseExactJson(text, shape)).toStrictEqual(expected);
  });

  it.each([
    ['{"id":1,"id":2}', plant, 'Duplicate member'],
    [String.raw`{"id":1,"i\u0064":2}`, plant, 'Duplicate member'],
    ['{"tag":[],"tag":{}}', plant, 'Duplicate member'],
    ['{"plants":[{"id":1,"id":2}]}', batch, 'Duplicate member'],
    ['{"plants":[{"id":1}],"plants":[{"id":2}]}', batch, 'Duplicate member'],
    ['{"plants":[1,2,3,4],"plants":[1,2,3]}', batch, 'Duplicate member'],
    ['{"plants":[1,2,3,{"__proto__":1}]}', batch, "Forbidden member '__proto__' at position"],
    [String.raw`{"x":[{"\u005f\u005Fp\u0072\u006F\u0074\u006f__":1}]}`, plant, 'at position 7'],
    [String.raw`{"id":{"__\u0070roto_\u005f":1}}`, plant, "Forbidden member '__proto__' at position 7"],
    ['{"__proto__":1}', plant, "Forbidden member '__proto__' at position 1"],
    [`{"x":${'['.repeat(500)}${']'.repeat(500)}}`, plant, 'Nested too deeply at position 504'],
    ['{"x":[1,{"y":01}]}', plant, "Expected ',' or '}' but got '1' at position 14"],
    ['{"x":tru}', plant, "Expected a value but got 't' at position 5"],
    ['{"x":"a\n"}', plant, 'Bare control character in a string at position 7'],
    [String.raw`{"x":"\u00g0"}`, plant, 'Unknown escape in a string at position 6'],
    [String.raw`{"\x":1}`, plant, 'Unknown escape in a string at position 2'],
    ['{"x":{"a"1}}', plant, "Expected ':' but got '1' at position 9"],
    ['{"x":{1:1}}', plant, "Expected a name in double quotes but got '1' at position 6"],
  ])('is still rejected: %s', (text, shape, message) => {
    expect(() => parseExactJson(text, shape)).toThrow(message);
  });

  const name = fc.constantFrom('id', 'name', 'tag', 'plants', 'x', 'toString', '', 'i\\d', '\u0069d\n', '🌱');
  const leaf = fc.oneof(
    fc.constantFrom('null', 'true', 'false', '0', '-1.50e1', '1e400', '12345678901234567890', '""'),
    fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  );
  const spaced = (text: fc.Arbitrary<string>) =>
    fc.tuple(fc.constantFrom('', '', ' ', '\n\t'), text).map(([space, written]) => space + written + space);
  /** Texts without duplicate members. */
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: spaced(
      fc.oneof(
        { maxDepth: 5, withCrossShrink: true },
        leaf,
        fc.array(tie('value'), { maxLength: 6 }).map((items) => `[${items.join()}]`),
        fc
          .uniqueArray(fc.tuple(name, tie('value')), { selector: ([key]) => key, maxLength: 5 })
          .map((all) => `{${all.map(([key, written]) => `${JSON.stringify(key)}:${written}`).join()}}`),
      ),
    ),
  }));
  const shape = fc.constantFrom<JsonShape>(plant, batch, {}, { items: plant, maxItems: 1 }, { items: batch });

  it('returns the result of parsing the whole text, without the unused parts', () => {
    fc.assert(
      fc.property(value, shape, (text, given) => {
        expect(parseExactJson(text, given)).toStrictEqual(restrict(parseExactJson(text), given));
      }),
      { numRuns: 500 },
    );
  });

  it('accepts an unused part exactly when parsing it would succeed', () => {
    const change = fc.tuple(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom(...'[]{}:,"\\u0.e- \n', ''),
    );
    fc.assert(
      fc.property(value, fc.array(change, { maxLength: 2 }), fc.boolean(), (text, changes, inArray) => {
        const changed = changes.reduce((written, [at, character]) => {
          const place = Math.floor(at * written.length);
          return written.slice(0, place) + character + written.slice(place + 1);
        }, text);
        const [parsed, skipped] = inArray
          ? [parse(`[0,${changed}]`), parse(`[0,${changed}]`, { items: {}, maxItems: 1 })]
          : [parse(`{"x":${changed}}`), parse(`{"x":${changed}}`, plant)];
        // A change may give two members one name.
        if (!parsed.startsWith('Duplicate')) expect(skipped).toBe(parsed);
      }),
      { numRuns: 1_500 },
    );
  });
});

/** The result of parsing, or the error. */
function parse(text: string, shape?: JsonShape): string {
  try {
    parseExactJson(text, shape);
    return 'accepted';
  } catch (error) {
    return error instanceof SyntaxError ? error.message : String(error);
  }
}

/** Restricts a value to a shape. */
function restrict(value: unknown, shape: JsonShape): unknown {
  if (Array.isArray(value)) {
    const { items, maxItems = Infinity } = shape;
    if (items === undefined) return [];
    return value.map((item, index) => (index < maxItems ? restrict(item, items) : null));
  }
  if (typeof value !== 'object' || value === null || value instanceof NumberLiteral) return value;
  const { members = [] } = shape;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      const known = members.find(({ name }) => name === key);
      return known === undefined ? [] : [[key, restrict(member, known.shape)]];
    }),
  );
}
