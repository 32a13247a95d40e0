import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumberLiteral } from '../int64.js';
import { parseExactJson } from './parse.js';

describe('the grammar of RFC 8259', () => {
  it.each([
    ' \t\r\n[ 1 , 2 ]\n',
    '{ "a" : { "b" : [ null , true , false , "c" , [ ] , { } ] } }',
    String.raw`{"":"\" \\ \/ \b \f \n \r \t \u00e9 \uD83C\uDF31 \u0000"}`,
    '"é 🌱 \u007f \u2028 \u2029"',
    String.raw`["\\","\\\\","\\\"","\"\\","\u005c\u0022",{"\\":"\"","\"":"\\"}]`,
    '{"0":1,"b":2,"-1":3,"1":4}',
    String.raw`["\ud83c","\udf31\ud83c"]`, // unpaired surrogates: JSON may carry them, a plant may not
  ])('accepts %j as JSON.parse does', (text) => {
    expect(parseExactJson(text)).toEqual(JSON.parse(text));
  });

  it('rejects what JSON.parse rejects', () => {
    const parts = [...'[]{}:,"\\u/019.eE+- \n', '"a"', '12', 'true', 'null', '[1]', '{"a":0}'];
    const refused = fc
      .string({ unit: fc.constantFrom(...parts), maxLength: 12 })
      .filter((text) => !isJson(text));
    const property = fc.property(refused, (text) => {
      expect(() => parseExactJson(text)).toThrow(SyntaxError);
    });
    fc.assert(property, { numRuns: 3_000 });
  });

  it.each([
    ['two values', ['1 2', '{}{}', '[] ,', 'null null']],
    ['words of JavaScript', ['undefined', 'NaN', 'Infinity', '-Infinity', 'True', 'nul', 'nulll', "'a'"]],
    ['names without quotes', ['{a:1}', "{'a':1}", '{1:1}', '{null:1}']],
    ['comments', ['// 1', '/* */ 1', '[1] # one']],
    ['numbers that are none', ['01', '-01', '1.', '.5', '-', '-.5', '+1', '1e', '1e+', '1.e1', '1_0', '１']],
    ['numbers of JavaScript', ['0x1', '1n', '9007199254740993n']],
    ['control characters in a string', ['"\0"', '"\n"', '"\t"', '"\u001f"']],
    ['unknown escapes', ['"\\x41"', '"\\a"', '"\\u12"', '"\\u00g0"', '"\\U0041"', '"\\\'"']],
    ['a byte order mark', ['\uFEFF{}', '{}\uFEFF', '\uFEFF']],
    ['white space of other standards', ['\u00a01', '\f1', '\v1', '\u20281']],
  ])('refuses %s', (_, texts) => {
    for (const text of texts) expect(() => parseExactJson(text), text).toThrow(SyntaxError);
  });

  it.each([
    ['', 'Expected a value but reached end of input at position 0'],
    [' \r\n\t ', 'Expected a value but reached end of input at position 5'],
    ['[1,]', "Expected a value but got ']' at position 3"],
    ['[1', "Expected ',' or ']' but reached end of input at position 2"],
    ['[1 2]', "Expected ',' or ']' but got '2' at position 3"],
    ['[tru]', "Expected a value but got 't' at position 1"],
    ['🌱', "Expected a value but got '🌱' at position 0"],
    ['{"id":1,"name":"Rose"]', "Expected ',' or '}' but got ']' at position 21"],
    ['{"id" 1}', "Expected ':' but got '1' at position 6"],
    ['{"id":1,}', "Expected a name in double quotes but got '}' at position 8"],
    ['{}}', "Expected end of input but got '}' at position 2"],
    ['[-]', "Expected a digit but got ']' at position 2"],
    ['[1.]', "Expected a digit but got ']' at position 3"],
    ['[1e+', 'Expected a digit but reached end of input at position 4'],
    ['["Rose]', "Expected a closing '\"' but reached end of input at position 7"],
    ['["Rose\\', "Expected a closing '\"' but reached end of input at position 7"],
    ['["\\u0041\t"]', 'Bare control character in a string at position 8'],
    ['["\\n\\\\\\x41"]', 'Unknown escape in a string at position 6'],
    ['["\\u00e9\\u00g0"]', 'Unknown escape in a string at position 8'],
    ['["\\\n"]', 'Unknown escape in a string at position 2'],
    [String.raw`[{"id":1 , "\u0069d" : 2}]`, "Duplicate member 'id' with a different value at position 11"],
  ])('reports for %j: %s', (text, message) => {
    expect(() => parseExactJson(text)).toThrow(new SyntaxError(message));
  });
});

describe.each<[string, (levels: number) => string]>([
  ['arrays', (levels) => '['.repeat(levels) + ']'.repeat(levels)],
  ['objects', (levels) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`],
  ['both', (levels) => `${'[{"a":'.repeat(levels / 2)}${levels % 2 ? '[]' : 1}${'}]'.repeat(levels / 2)}`],
  ['arrays after another', (levels) => `[[[]],${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}]`],
])('nested %s', (_, nest) => {
  it('are accepted up to 500 levels, and rejected beyond, regardless of the rest', () => {
    // Compared as texts: the matchers of the test runner recurse in larger steps.
    expect(JSON.stringify(parseExactJson(nest(500)))).toBe(nest(500));
    for (const levels of [501, 100_000])
      expect(() => parseExactJson(nest(levels))).toThrow(/^Nested too deeply at position \d+$/);
  });
});

describe('a member named twice', () => {
  it.each([
    ['1', '1.0'],
    ['100', '1e2'],
    ['9007199254740993', '9007199254740993.0'],
    ['[1,{"b":null}]', '[1.0,{"b":null}]'],
    ['{"x":1,"y":[]}', '{"y":[],"x":1}'],
    ['"Rose"', String.raw`"R\u006fse"`],
  ])('is accepted if its values are equal: %s and %s', (value, same) => {
    const expected = { a: parseExactJson(value) };
    expect(parseExactJson(`{"a":${value},"a":${same}}`)).toEqual(expected);
    expect(parseExactJson(String.raw`{"\u0061":${same},"a":${value}}`)).toEqual(expected);
  });

  const values = `1 2 "1" null false 0 "" 9007199254740993 9007199254740992 1e400 10e399
    [] [1] [1,2] [2,1] [[]] [{}] [1e400]
    {} {"0":1} {"b":null} {"b":1} {"c":1} {"b":{"c":1}} {"b":{"c":2}}
    {"length":0} {"text":"1e400"} {"toString":1}`.split(/\s+/);

  it.each(values)('is accepted only with another %s', (value) => {
    const member = parseExactJson(`{"a":${value}}`);
    expect(parseExactJson(`{"a":${value},"b":0,"a":${value}}`)).toEqual({ ...Object(member), b: 0 });
    for (const other of values.filter((one) => one !== value)) {
      const text = `{"a":${value},"b":0,"a":${other}}`;
      expect(() => parseExactJson(text), text).toThrow("Duplicate member 'a' with a different");
    }
  });

  it('is compared to the last level of nesting', () => {
    const [open, close] = ['[{"b":'.repeat(249), '}]'.repeat(249)];
    expect(parseExactJson(`{"a":${open}1${close},"a":${open}1${close}}`)).toHaveProperty('a');
    expect(() => parseExactJson(`{"a":${open}1${close},"a":${open}2${close}}`)).toThrow('Duplicate member');
  });
});

describe('names with a meaning in JavaScript', () => {
  it.each([
    ['{"__proto__":{"polluted":true}}', 1],
    ['{"id":1,"__proto__":null}', 8],
    ['[[{"a":{"__proto__":[]}}]]', 8],
    ['{"a":{"__proto__":{}},"a":{}}', 6],
    [String.raw`{"\u005f\u005fproto__":{"polluted":true}}`, 1],
    [String.raw`{"a":[{"b":{"__\u0070roto_\u005F":1}}]}`, 12],
  ])('refuses %s', (text, position) => {
    const message = `Forbidden member '__proto__' at position ${position}`;
    expect(() => parseExactJson(text)).toThrow(new SyntaxError(message));
  });

  it.each(['constructor', 'prototype', 'toString', '__defineGetter__', '__proto', '__proto___'])(
    'takes %s as an ordinary member',
    (name) => {
      const parsed = parseExactJson(`{"${name}":{"prototype":"__proto__"}}`);
      expect(Object.entries(Object(parsed))).toEqual([[name, { prototype: '__proto__' }]]);
      expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    },
  );
});

it('keeps a number that JavaScript cannot represent', () => {
  expect(parseExactJson('[1e400]')).toStrictEqual([new NumberLiteral('1e400')]);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
