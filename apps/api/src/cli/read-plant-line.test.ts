import { describe, expect, it } from 'vitest';
import { isBlank, readPlantLine } from './import.js';

const read = (text: string) => readPlantLine(Buffer.from(text));

it.each([
  ['{"id":9223372036854775807,"name":"Fern"}', { id: 9223372036854775807n, name: 'Fern' }],
  ['{"id":-9223372036854775808,"name":"","tag":""}', { id: -9223372036854775808n, name: '', tag: '' }],
  [' {"name":"Fern","id":1e2,"note":[]} \r', { id: 100n, name: 'Fern' }],
])('reads %s', (text, plant) => {
  expect(read(text)).toEqual({ plant });
});

it.each([
  ['{"id":1', "The line is not valid JSON: Expected ',' or '}' but reached end of input at position 7."],
  ['{"id":1}{}', "The line is not valid JSON: Expected end of input but got '{' at position 8."],
  ['\uFEFF{}', 'The line is not valid JSON: it starts with a byte order mark.'],
  ['{"name":1}', 'The plant is not valid: id is required; name must be a string.'],
  ['[]', 'The plant is not valid: the body must be a JSON object.'],
  [
    '{"id":9223372036854775808,"name":"\\u0000","tag":null}',
    'The plant is not valid: id must be an integer from -9223372036854775808 to 9223372036854775807; name must not contain the character NUL (U+0000); tag must be a string.',
  ],
])('says what is wrong with %s', (text, reason) => {
  expect(read(text)).toEqual({ reason });
});

it('says when a line is not in UTF-8', () => {
  expect(readPlantLine(Buffer.from('{"id":1,"name":"\xe9"}', 'latin1'))).toEqual({
    reason: 'The line is not valid JSON: it is not in UTF-8.',
  });
});

describe('isBlank', () => {
  it.each(['', ' ', '\t \r'])('takes %j for blank', (text) => expect(isBlank(Buffer.from(text))).toBe(true));
  it.each(['{', ' {', '\u00a0', '\u2028'])('takes %j for a line', (text) =>
    expect(isBlank(Buffer.from(text))).toBe(false),
  );
});
