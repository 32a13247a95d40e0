import { describe, expect, it } from 'vitest';
import { parseExactJson } from './parse.js';

describe('a member named twice', () => {
  it.each([
    ['{"id":1,"id":1}', { id: 1 }],
    ['{"id":1,"id":1.0}', { id: 1 }],
    ['{"id":100,"id":1e2}', { id: 100 }],
    ['{"id":9007199254740993,"id":9007199254740993.0}', { id: 9007199254740993n }],
    ['{"a":[1,{"b":null}],"a":[1.0,{"b":null}]}', { a: [1, { b: null }] }],
    [String.raw`{"name":"Rose","\u006eame":"R\u006fse"}`, { name: 'Rose' }],
  ])('is taken when the values are equal: %s', (text, expected) => {
    expect(parseExactJson(text)).toEqual(expected);
  });

  it.each([
    '{"id":1,"id":2}',
    '{"id":1,"id":"1"}',
    '{"id":1,"id":null}',
    '{"id":0,"id":false}',
    '{"id":9007199254740993,"id":9007199254740992}',
    '{"id":1,"name":"Rose","id":2}',
    '{"a":{"b":1,"b":2}}',
    '{"a":[1],"a":[1,2]}',
    '{"a":{},"a":{"b":null}}',
    String.raw`{"name":"Rose","\u006eame":"rose"}`,
  ])('is refused when the values differ: %s', (text) => {
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
  });
});

describe('names with a meaning in JavaScript', () => {
  it.each([
    '{"__proto__":{"polluted":true}}',
    '{"__proto__":null}',
    '{"id":1,"__proto__":1}',
    '[[{"a":{"__proto__":[]}}]]',
    String.raw`{"\u005f\u005fproto__":{"polluted":true}}`,
    String.raw`{"__\u0070roto_\u005F":1}`,
    String.raw`{"a":[{"b":{"\u005f_proto_\u005f":{}}}]}`,
  ])('refuses %s', (text) => {
    expect(() => parseExactJson(text)).toThrow(new SyntaxError("A member must not be named '__proto__'"));
  });

  it('takes __proto__ where it is text', () => {
    expect(parseExactJson('{"name":"__proto__"}')).toEqual({ name: '__proto__' });
  });

  it.each(['constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__'])(
    'takes %s as an ordinary member',
    (name) => {
      const parsed = parseExactJson(`{"${name}":{"prototype":{"polluted":true}}}`);
      expect(Object.entries(Object(parsed))).toEqual([[name, { prototype: { polluted: true } }]]);
      expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
      expect({}).not.toHaveProperty('polluted');
    },
  );
});
