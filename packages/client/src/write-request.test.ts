import { describe, expect, it } from 'vitest';
import { writeBody, writeTarget } from './write-request.js';

const route = (path: string) => ({ method: 'GET', path, statuses: [200] });

describe('writeTarget', () => {
  it('puts parameters into the path, each as one segment', () => {
    const params = { plant: 9223372036854775807n, leaf: 'a/b?c#d é' };
    expect(writeTarget(route('/plants/:plant/leaves/:leaf'), { params })).toBe(
      '/plants/9223372036854775807/leaves/a%2Fb%3Fc%23d%20%C3%A9',
    );
  });

  it('appends the query, a list as one parameter for each value', () => {
    const query = {
      name: 'a&b',
      tag: ['x', 'y'],
      id: 2n ** 63n - 1n,
      wild: true,
      none: undefined,
      nil: null,
    };
    expect(writeTarget(route('/plants'), { query })).toBe(
      '/plants?name=a%26b&tag=x&tag=y&id=9223372036854775807&wild=true',
    );
  });

  it.each([undefined, {}, { name: undefined, tag: [] }])('appends nothing for the query %j', (query) => {
    expect(writeTarget(route('/plants'), query === undefined ? {} : { query })).toBe('/plants');
  });
});

describe('an integer number that may have been rounded is rejected', () => {
  it.each([2 ** 53, -(2 ** 53), 1e21, Number.NaN])('in the path and in the query: %d', (id) => {
    expect(() => writeTarget(route('/plants/:id'), { params: { id } })).toThrow(RangeError);
    expect(() => writeTarget(route('/plants'), { query: { id: [1, id] } })).toThrow(RangeError);
  });
});

describe('writeBody', () => {
  it('keeps integers exact', () => {
    expect(writeBody({ body: { id: 9223372036854775807n } })).toBe('{"id":9223372036854775807}');
  });

  it('writes nothing where there is no body', () => {
    expect(writeBody({})).toBeUndefined();
  });
});
