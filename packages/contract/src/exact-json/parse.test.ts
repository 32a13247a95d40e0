import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson } from './parse.js';

describe('the grammar of RFC 8259', () => {
  it.each([
    'null',
    'true',
    'false',
    '0',
    '""',
    '[]',
    '{}',
    ' \t\r\n[ 1 , 2 ]\n',
    '{ "a" : { "b" : [ null , true , false , "c" ] } }',
    '{"":"empty name"}',
    String.raw`"\" \\ \/ \b \f \n \r \t \u00e9 \uD83C\uDF31"`,
    '"é 🌱 \u007f \u2028 \u2029"',
    String.raw`"\u0000"`,
    String.raw`["\ud83c","\udf31\ud83c"]`, // unpaired surrogates: JSON may carry them, a plant may not
  ])('takes %j as JSON.parse does', (text) => {
    expect(parseExactJson(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['nothing', ['', ' ', '\n']],
    ['two values', ['1 2', '{}{}', '[] ,', 'null null']],
    ['trailing commas', ['[1,]', '{"a":1,}', '[,]', '{,}', '[1,,2]']],
    ['what is left open', ['[', '{', '[1', '[1,', '{"a"', '{"a":', '{"a":1', '"a', '"\\', '"\\u00']],
    ['what closes wrongly', [']', '}', '[}', '{]', '[1}', '{"a":1]']],
    ['missing punctuation', ['[1 2]', '{"a" 1}', '{"a":1 "b":2}', '{"a"}', '{:1}', '[:]']],
    ['names without quotes', ['{a:1}', "{'a':1}", '{1:1}', '{null:1}']],
    [
      'words of JavaScript',
      ['undefined', 'NaN', 'Infinity', '-Infinity', 'True', 'nul', 'nulll', "'a'", '`a`'],
    ],
    ['comments', ['// 1', '/* */ 1', '[1] # one']],
    [
      'numbers that are none',
      ['01', '-01', '1.', '.5', '-', '-.5', '+1', '1e', '1e+', '1.e1', '0x1', '1_0', '１'],
    ],
    ['integers of JavaScript', ['1n', '9007199254740993n']],
    ['control characters in a string', ['"\0"', '"\n"', '"\t"', '"\u001f"']],
    ['unknown escapes', ['"\\x41"', '"\\a"', '"\\u12"', '"\\u00g0"', '"\\U0041"', '"\\\'"']],
    ['a byte order mark', ['\uFEFF{}', '{}\uFEFF', '\uFEFF']],
    ['white space of other standards', ['\u00a01', '\f1', '\v1', '\u20281']],
  ])('refuses %s', (_, texts) => {
    for (const text of texts) expect(() => parseExactJson(text), text).toThrow(SyntaxError);
  });

  it('names the position of a fault', () => {
    expect(() => parseExactJson('{"id":1,"name":"Rose"]')).toThrow('position 21');
  });

  it('gives what JSON.parse gives', () => {
    const values = [
      fc.string({ unit: 'binary' }),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }),
      fc.boolean(),
      fc.constant(null),
    ];
    const key = fc.string({ unit: 'binary' }).filter((name) => name !== '__proto__');
    const indentation = fc.constantFrom('', ' ', '\t');
    fc.assert(
      fc.property(fc.anything({ key, values, maxDepth: 3, maxKeys: 4 }), indentation, (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parseExactJson(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 10_000 },
    );
  });

  it('refuses what JSON.parse refuses', () => {
    const text = fc.array(
      fc.constantFrom(...'[]{}:,"\\u/019.eE+- \n', '"a"', '12', 'true', 'null', '[1]', '{"a":0}'),
    );
    const refusedText = text.map((parts) => parts.join('')).filter((joined) => !isJson(joined));
    fc.assert(
      fc.property(refusedText, (refused) => {
        expect(() => parseExactJson(refused)).toThrow(SyntaxError);
      }),
      { numRuns: 10_000 },
    );
  });
});

describe('nesting', () => {
  it('takes a hundred levels', () => {
    const text = `${'[{"a":'.repeat(50)}1${'}]'.repeat(50)}`;
    expect(parseExactJson(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['arrays left open', '['.repeat(100_000)],
    ['arrays beside an escape', `["\\u0061",${'['.repeat(100_000)}${']'.repeat(100_000)}]`],
  ])('refuses 100,000 %s', (_, text) => {
    expect(() => parseExactJson(text)).toThrow(
      expect.objectContaining({
        name: 'SyntaxError',
        message: 'Nested too deeply',
        cause: expect.any(RangeError),
      }),
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
