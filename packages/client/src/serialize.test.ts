import { describe, expect, it, onTestFinished } from 'vitest';
import { deserialize, serialize } from './serialize.js';

const copyOf = (value: unknown) => deserialize(serialize(value));

describe('what is serialized and deserialized', () => {
  it.each([
    { id: 9223372036854775807n, small: 1n, zero: 0n, negative: -9223372036854775808n, limit: 1, share: 0.5 },
    { pages: [{ plants: [] }], pageParams: [undefined, 'after', null] },
    [undefined],
    { gcTime: Infinity, since: -Infinity, mean: NaN },
    ['bigint:1', 'number:1', 'string:', 'string:string:a', 'undefined:undefined', 'a bigint:1'],
    { 'bigint:1': true, nested: [[{ text: 'ä\u2028"' }], null, false, ''] },
    'bigint:1',
    1n,
    null,
  ])('is the same: %o', (value) => {
    expect(copyOf(value)).toStrictEqual(value);
  });

  it('is otherwise the same as with JSON, without signals', () => {
    const { signal } = new AbortController();
    const tag = { toJSON: () => 'bigint:1' };
    const value = { at: new Date(0), tag, left: undefined, run: () => 1, call: { timeoutMs: 5, signal } };
    const copy = { at: '1970-01-01T00:00:00.000Z', tag: 'bigint:1', call: { timeoutMs: 5 } };
    expect(copyOf(value)).toStrictEqual(copy);
  });

  it('preserves a bigint even in a program that writes every bigint as text', () => {
    const prototype = BigInt.prototype as { toJSON?: () => string };
    prototype.toJSON = () => '1';
    onTestFinished(() => {
      delete prototype.toJSON;
    });
    expect(JSON.stringify([1n])).toBe('["1"]');
    expect(copyOf([1n])).toStrictEqual([1n]);
  });
});

it('rejects text that is not JSON', () => {
  expect(() => deserialize('{"id":')).toThrow(SyntaxError);
  expect(() => deserialize('"bigint:one"')).toThrow(SyntaxError);
});
