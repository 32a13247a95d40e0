import { describe, expect, it } from 'vitest';
import { NumberLiteral } from './number.js';
import { parseExactJson } from './parse.js';

describe('a member named twice', () => {
  it.each([
    ['{"id":1,"id":1}', { id: 1 }],
    ['{"id":1,"id":1.0}', { id: 1 }],
    ['{"id":100,"id":1e2}', { id: 100 }],
    ['{"id":9007199254740993,"id":9007199254740993.0}', { id: 9007199254740993n }],
    ['{"a":[1,{"b":null}],"a":[1.0,{"b":null}]}', { a: [1, { b: null }] }],
    ['{"a":{"x":1,"y":2},"a":{"y":2,"x":1}}', { a: { x: 1, y: 2 } }],
    ['{"a":[],"a":[]}', { a: [] }],
    ['{"a":{},"a":{}}', { a: {} }],
    ['{"a":null,"a":null}', { a: null }],
    ['{"a":1e400,"a":1e400}', { a: new NumberLiteral('1e400') }],
    ['{"a":[{"b":1e400}],"a":[{"b":1e400}]}', { a: [{ b: new NumberLiteral('1e400') }] }],
    ['{"toString":1,"toString":1}', { toString: 1 }],
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
    '{"a":[1,2],"a":[2,1]}',
    '{"a":[1,2],"a":[1]}',
    '{"a":{},"a":{"b":null}}',
    '{"a":{"b":null},"a":{}}',
    '{"a":{"b":1},"a":{"c":1}}',
    '{"a":{"b":{"c":1}},"a":{"b":{"c":2}}}',
    '{"a":{"toString":1},"a":{"b":1}}',
    '{"a":[],"a":{}}',
    '{"a":{},"a":[]}',
    '{"a":[1],"a":{"0":1}}',
    '{"a":{"0":1},"a":[1]}',
    '{"a":[[]],"a":[{}]}',
    '{"a":[],"a":{"length":0}}',
    '{"a":{"length":0},"a":[]}',
    '{"a":{},"a":1}',
    '{"a":1,"a":{}}',
    '{"a":[],"a":null}',
    '{"a":null,"a":{}}',
    '{"a":[],"a":""}',
    '{"a":1e400,"a":10e399}',
    '{"a":1e400,"a":{}}',
    '{"a":{"text":"1e400"},"a":1e400}',
    '{"a":1e400,"a":{"text":"1e400"}}',
    '{"a":1e400,"a":[]}',
    '{"a":[],"a":1e400}',
    String.raw`{"name":"Rose","\u006eame":"rose"}`,
  ])('is refused when the values differ: %s', (text) => {
    expect(() => parseExactJson(text)).toThrow(
      expect.objectContaining({
        name: 'SyntaxError',
        message: expect.stringMatching(/^Duplicate member '\w+' with a different value at position \d+$/),
      }),
    );
  });

  it('is refused at its second name', () => {
    const text = String.raw`[{"id":1 , "\u0069d" : 2}]`;
    expect(() => parseExactJson(text)).toThrow(
      new SyntaxError("Duplicate member 'id' with a different value at position 11"),
    );
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
    ['{"__proto__":null}', 1],
    ['{"id":1,"__proto__":1}', 8],
    ['[[{"a":{"__proto__":[]}}]]', 8],
    ['{"a":{},"a":{"__proto__":{}}}', 13],
    ['{"a":{"__proto__":{}},"a":{}}', 6],
    [String.raw`{"\u005f\u005fproto__":{"polluted":true}}`, 1],
    [String.raw`{"__\u0070roto_\u005F":1}`, 1],
    [String.raw`{"a":[{"b":{"\u005f_proto_\u005f":{}}}]}`, 12],
  ])('refuses %s', (text, position) => {
    expect(() => parseExactJson(text)).toThrow(
      new SyntaxError(`Forbidden member '__proto__' at position ${position}`),
    );
  });

  it('takes __proto__ where it is text', () => {
    expect(parseExactJson('{"name":"__proto__"}')).toEqual({ name: '__proto__' });
  });

  it.each([
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '__defineGetter__',
    '__proto',
    '__proto___',
  ])('takes %s as an ordinary member', (name) => {
    const parsed = parseExactJson(`{"${name}":{"prototype":{"polluted":true}}}`);
    expect(Object.entries(Object(parsed))).toEqual([[name, { prototype: { polluted: true } }]]);
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    expect({}).not.toHaveProperty('polluted');
  });
});
