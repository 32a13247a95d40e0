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
    '[ ]',
    '{ }',
    ' \t\r\n[ 1 , 2 ]\n',
    '{ "a" : { "b" : [ null , true , false , "c" ] } }',
    '{"":"empty name"}',
    String.raw`"\" \\ \/ \b \f \n \r \t \u00e9 \uD83C\uDF31"`,
    '"é 🌱 \u007f \u2028 \u2029"',
    String.raw`"\u0000"`,
    String.raw`["\\","\\\\","\\\"","\"\\","\u005c\u0022"]`,
    String.raw`["Rose\n","\tRose","Ro\/se","\u00E9\u00e9"]`,
    String.raw`{"\\":"\"","\"":"\\"}`,
    '{"0":1,"b":2,"-1":3,"1":4}',
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

  it.each([
    ['', 'Expected a value but reached end of input at position 0'],
    [' \r\n\t ', 'Expected a value but reached end of input at position 5'],
    ['[1,]', "Expected a value but got ']' at position 3"],
    ['[1', "Expected ',' or ']' but reached end of input at position 2"],
    ['[1 2]', "Expected ',' or ']' but got '2' at position 3"],
    ['[tru]', "Expected a value but got 't' at position 1"],
    ['🌱', "Expected a value but got '🌱' at position 0"],
    ['{"id":1,"name":"Rose"]', "Expected ',' or '}' but got ']' at position 21"],
    ['{"id":01}', "Expected ',' or '}' but got '1' at position 7"],
    ['{"id" 1}', "Expected ':' but got '1' at position 6"],
    ['{"id":1,}', "Expected a name in double quotes but got '}' at position 8"],
    ['{id:1}', "Expected a name in double quotes but got 'i' at position 1"],
    ['{}}', "Expected end of input but got '}' at position 2"],
    ['[-]', "Expected a digit but got ']' at position 2"],
    ['[1.]', "Expected a digit but got ']' at position 3"],
    ['[1e+', 'Expected a digit but reached end of input at position 4'],
    ['["Rose]', "Expected a closing '\"' but reached end of input at position 7"],
    ['["Rose\\', "Expected a closing '\"' but reached end of input at position 7"],
    ['["Ro\nse"]', 'Bare control character in a string at position 4'],
    ['["\\u0041\t"]', 'Bare control character in a string at position 8'],
    ['["\\n\\\\\\x41"]', 'Unknown escape in a string at position 6'],
    ['["\\u00e9\\u00g0"]', 'Unknown escape in a string at position 8'],
    ['["\\\n"]', 'Unknown escape in a string at position 2'],
    ['{"\\u12":1}', 'Unknown escape in a string at position 2'],
  ])('reports for %j: %s', (text, message) => {
    expect(() => parseExactJson(text)).toThrow(new SyntaxError(message));
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
      { numRuns: 2_000 },
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
  const limit = 500;
  const kinds: [string, (levels: number) => string][] = [
    ['arrays', (levels) => '['.repeat(levels) + ']'.repeat(levels)],
    ['objects', (levels) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`],
    ['both', (levels) => `${'[{"a":'.repeat(levels / 2)}${levels % 2 ? '[]' : 1}${'}]'.repeat(levels / 2)}`],
    ['arrays after another', (levels) => `[[[]],${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}]`],
  ];

  it.each(kinds)('takes 500 levels of %s', (_, nest) => {
    // Compared as texts: the matchers of the test runner recurse in larger steps.
    expect(JSON.stringify(parseExactJson(nest(limit)))).toBe(nest(limit));
  });

  it.each(kinds)('refuses 501 levels of %s', (_, nest) => {
    expect(() => parseExactJson(nest(limit + 1))).toThrow(/^Nested too deeply at position \d+$/);
  });

  it.each(kinds)('refuses 100,000 levels of %s', (_, nest) => {
    expect(() => parseExactJson(nest(100_000))).toThrow(SyntaxError);
  });

  it('is refused where the limit is passed, whatever follows', () => {
    expect(() => parseExactJson('['.repeat(100_000))).toThrow(
      new SyntaxError('Nested too deeply at position 500'),
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
