import { stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import { describe, expect, it } from 'vitest';
import { parseReply } from './parse-reply.js';

describe('parsing a reply', () => {
  it.each([
    ['{"id":9223372036854775807,"name":"x"}', { id: 9223372036854775807n, name: 'x' }],
    ['{"id": -9223372036854775808 }', { id: -9223372036854775808n }],
    ['{"id":0}', { id: 0n }],
    [
      '{"plants":[{"id":1,"name":"a"},{"id":9007199254740993}],"next":"1.x..2"}',
      { plants: [{ id: 1n, name: 'a' }, { id: 9007199254740993n }], next: '1.x..2' },
    ],
    ['{"error":40000,"message":"\\"id\\":7"}', { error: 40000, message: '"id":7' }],
    ['{"name":"{\\"id\\":1}","id":2}', { name: '{"id":1}', id: 2n }],
    ['{"name":"\\\\","id":9007199254740993}', { name: '\\', id: 9007199254740993n }],
    ['{"name":",\\"id","\\"id":1,"{\\"id":2}', { name: ',"id', '"id': 1, '{"id': 2 }],
    ['{"name":"x"}', { name: 'x' }],
    ['{"id":"9007199254740993"}', { id: 9007199254740993n }],
    ['{"id":[9007199254740993, -1,0]}', { id: [9007199254740993n, -1n, 0n] }],
    ['{ "id" : [ ] ,"list":[1.5,2]}', { id: [], list: [1.5, 2] }],
    ['{"id":[null]}', { id: [null] }],
    ['{"id":null}', { id: null }],
    ['{"id":{"id":9007199254740993}}', { id: { id: 9007199254740993n } }],
  ])('keeps every id exact: %s', (text, value) => {
    expect(parseReply(text)).toStrictEqual(value);
  });

  it('parses every reply of the service, with any texts of plants', () => {
    const texts = ['', '"id":1', '\\"id\\":1,', '{"id":1}', '\\', '\\\\"', '"', 'id', '\n\u2028\ud800'];
    const ids = [0n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];
    const plants = texts.flatMap((name, index) =>
      texts.map((tag) => ({ id: ids[index % ids.length] ?? 0n, name, tag })),
    );
    expect(parseReply(stringifyExactJson({ plants }))).toEqual({ plants });
    for (const plant of plants) expect(parseReply(stringifyExactJson(plant))).toEqual(plant);
  });

  it.each([
    ['what is not JSON', ['', '{', '{"id":}', '{"id":1', '{"id":01}', '{"id":-01}', '{"id":1.}', '{"id":-}']],
    [
      'a list that is not JSON',
      ['01', '1 2', '1,', ',1', '-', '--1', '1-2', '1e'].map((list) => `{"id":[${list}]}`),
    ],
    [
      'an id that is no integer in digits',
      ['1.5', '1.0', '1e2', '1e400', '[1.5]', '[1,1e2]'].map((id) => `{"id":${id}}`),
    ],
  ])('throws a SyntaxError for %s', (_, texts) => {
    for (const text of texts) expect(() => parseReply(text), text).toThrow(SyntaxError);
  });
});
