import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { expectStored } from '../support/expect-stored.js';
import { composePlantRequest, postPlant } from '../support/post-plant.js';
import { readPlants } from '../support/read-plants.js';
import { sendRaw } from '../support/send-raw.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const depth = 100_000;
const brackets = '['.repeat(depth) + ']'.repeat(depth);
const objects = '{"a":'.repeat(depth) + 1 + '}'.repeat(depth);

describe('a body that is rejected', () => {
  afterEach(async () => {
    expect(await readPlants(service)).toEqual([]);
    expect('polluted' in {}).toBe(false);
  });

  it('is missing', async () => {
    const request = composePlantRequest(service, '', { 'Content-Length': undefined });
    expectError(
      await sendRaw(service.baseUrl, request),
      'malformed_json',
      'The body is not valid JSON: it is empty.',
    );
  });

  it('is empty', async () => {
    expectError(await postPlant(service, ''), 'malformed_json', 'The body is not valid JSON: it is empty.');
  });

  it.each([
    ['only whitespace', ' \r\n\t ', 'Expected a value but reached end of input at position 5'],
    ['cut short', '{"id":1,"name":"n"', 'but reached end of input at position 18'],
    ['followed by more', '{"id":1,"name":"n"}}', "Expected end of input but got '}' at position 19"],
    ['more than one value', '{"id":1,"name":"n"}\n{"id":2,"name":"n"}', 'Expected end of input'],
    ['with a trailing comma', '{"id":1,"name":"n",}', 'at position 19'],
    ['without a comma', '{"id":1 "name":"n"}', 'at position 8'],
    ['without a colon', '{"id" 1,"name":"n"}', 'at position 6'],
    ['in single quotes', "{'id':1,'name':'n'}", 'at position 1'],
    ['with a bare name', '{id:1,"name":"n"}', 'at position 1'],
    ['with a comment', '{"id":1,"name":"n"/**/}', 'at position 18'],
    ['with a leading zero', '{"id":01,"name":"n"}', 'at position 7'],
    ['with a plus sign', '{"id":+1,"name":"n"}', 'at position 6'],
    ['with a number that ends in a point', '{"id":1.,"name":"n"}', 'at position 8'],
    ['with a number in hexadecimal', '{"id":0x1,"name":"n"}', 'at position 7'],
    ['with NaN', '{"id":NaN,"name":"n"}', 'at position 6'],
    ['with Infinity', '{"id":Infinity,"name":"n"}', 'at position 6'],
    ['with undefined', '{"id":1,"name":"n","tag":undefined}', 'at position 25'],
    ['with True', '{"id":1,"name":"n","x":True}', 'at position 23'],
    [
      'with a line break in a string',
      '{"id":1,"name":"n\n"}',
      'Bare control character in a string at position 17',
    ],
    ['with an unknown escape', '{"id":1,"name":"\\x41"}', 'Unknown escape in a string at position 16'],
    ['with half an escape', '{"id":1,"name":"\\u00e"}', 'Unknown escape in a string at position 16'],
    ['with a no-break space between values', '{"id":1,\u00a0"name":"n"}', 'at position 8'],
    ['a form', 'id=1&name=n', 'at position 0'],
  ])('is malformed: %s', async (_, body, message) => {
    expectError(await postPlant(service, body), 'malformed_json', message);
  });

  it.each<[string, (string | number[])[], string]>([
    ['a byte of Latin-1', ['{"id":1,"name":"caf', [0xe9], '"}'], 'it is not in UTF-8'],
    ['a letter cut short', ['{"id":1,"name":"', [0xf0, 0x9f, 0xaa], '"}'], 'it is not in UTF-8'],
    ['an overlong form', ['{"id":1,"name":"', [0xc0, 0xaf], '"}'], 'it is not in UTF-8'],
    ['a surrogate', ['{"id":1,"name":"', [0xed, 0xa0, 0x80], '"}'], 'it is not in UTF-8'],
    ['beyond Unicode', ['{"id":1,"name":"', [0xf4, 0x90, 0x80, 0x80], '"}'], 'it is not in UTF-8'],
    ['malformed in an unknown field', ['{"id":1,"name":"n","x":"', [0xff], '"}'], 'it is not in UTF-8'],
    ['UTF-16', [[0xff, 0xfe, 0x7b, 0x00]], 'it is not in UTF-8'],
    ['a byte order mark', [[0xef, 0xbb, 0xbf], '{"id":1,"name":"n"}'], 'it starts with a byte order mark'],
  ])('is not plain UTF-8: %s', async (_, parts, message) => {
    const bytes = parts.map((part) => Buffer.from(part));
    const request = composePlantRequest(service, Buffer.concat(bytes));
    expectError(await sendRaw(service.baseUrl, request), 'malformed_json', message);
  });

  it.each([
    ['id', '{"id":1,"id":2,"name":"n"}'],
    ['id', '{"id":1,"id":"1","name":"n"}'],
    ['id', '{"id":9007199254740992,"id":9007199254740993,"name":"n"}'],
    ['name', '{"id":1,"name":"n","name":"m"}'],
    ['name', '{"id":1,"name":"n","n\\u0061me":"m"}'],
    ['tag', '{"id":1,"name":"n","tag":"t","tag":null}'],
    ['tag', '{"id":1,"name":"n","tag":[],"tag":{}}'],
  ])('has a duplicate member with a different value: %s in %s', async (name, body) => {
    expectError(
      await postPlant(service, body),
      'malformed_json',
      `Duplicate member '${name}' with a different value`,
    );
  });

  it.each([
    ['arrays', brackets],
    ['unclosed arrays', '['.repeat(depth)],
    ['objects', objects],
    ['an unknown field', `{"id":1,"name":"n","x":${brackets}}`],
  ])(`is nested ${depth} deep: %s`, async (_, body) => {
    expectError(await postPlant(service, body), 'malformed_json', 'Nested too deeply');
  });

  it.each([
    ['plain', '{"id":1,"name":"n","__proto__":{"polluted":true}}'],
    ['null', '{"id":1,"name":"n","__proto__":null}'],
    ['to supply the missing fields', '{"__proto__":{"id":1,"name":"n"}}'],
    ['escaped', '{"id":1,"name":"n","\\u005f_proto__":{"polluted":true}}'],
    ['escaped in its letters', '{"id":1,"name":"n","__pr\\u006Fto__":{"polluted":true}}'],
    ['nested', '{"id":1,"name":"n","x":{"__proto__":{"polluted":true}}}'],
    ['nested in an array, escaped', '{"id":1,"name":"n","x":[[{"__proto_\\u005F":1}]]}'],
  ])('has a member named __proto__: %s', async (_, body) => {
    expectError(await postPlant(service, body), 'malformed_json', "Forbidden member '__proto__'");
  });

  it.each(['null', '[]', '[{"id":1,"name":"n"}]', '"x"', '""', '7', '1.5', 'true', 'false'])(
    'is JSON but not an object: %s',
    async (body) => {
      expectError(await postPlant(service, body), 'invalid_plant', 'the body must be a JSON object');
    },
  );
});

describe('a body that is accepted', () => {
  it.each([
    ['with whitespace everywhere', '\r\n\t { "id" : 10 , "name" : "n" } \n', '10'],
    ['with escapes in names and values', '{"\\u0069d":11,"n\\u0061me":"\\u006e"}', '11'],
    ['with a duplicate member of the same value', '{"id":12,"name":"n","name":"n","id":12.0}', '12'],
    [
      'with members named like those of objects',
      '{"id":13,"name":"n","constructor":{"prototype":{"a":1}}}',
      '13',
    ],
    ['with a member named prototype', '{"id":14,"name":"n","prototype":{"polluted":true}}', '14'],
    [
      'with members named like methods',
      '{"id":15,"name":"n","toString":1,"hasOwnProperty":null,"then":2}',
      '15',
    ],
    ['nested, within the limit', `{"id":16,"name":"n","x":${'['.repeat(99)}${']'.repeat(99)}}`, '16'],
    ['with a member whose name is empty', '{"id":17,"name":"n","":0}', '17'],
    [
      'with members that are ignored twice, with different values',
      '{"x":{"y":1,"y":2},"id":19,"x":[],"name":"n","x":[{"y":1,"y":2}],"":0,"":1}',
      '19',
    ],
  ])('%s', async (_, body, id) => {
    await expectStored(service, postPlant(service, body), { id, name: 'n', tag: null });
    expect('polluted' in {}).toBe(false);
  });

  it('with the value "__proto__"', async () => {
    const row = { id: '18', name: '__proto__', tag: null };
    await expectStored(service, postPlant(service, '{"id":18,"name":"__proto__"}'), row);
  });
});
