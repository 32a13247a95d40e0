import { expect, it } from 'vitest';
import { writeBody, writeTarget } from './write-request.js';

const id = 9223372036854775807n;

it.each([
  ['/plants', {}, '/plants'],
  ['/plants', { query: { name: undefined, tag: [] } }, '/plants'],
  [
    '/plants/:plant/leaves/:leaf',
    { params: { plant: id, leaf: 'a/b?c#d é' } },
    '/plants/9223372036854775807/leaves/a%2Fb%3Fc%23d%20%C3%A9',
  ],
  [
    '/plants',
    { query: { name: 'a&b', tag: ['x', 'y'], id, wild: true, none: undefined, nil: null } },
    '/plants?name=a%26b&tag=x&tag=y&id=9223372036854775807&wild=true',
  ],
])('writes the target of %s with %o', (path, request, target) => {
  expect(writeTarget({ path }, request)).toBe(target);
});

it.each([2 ** 53, -(2 ** 53), 1e21, Number.NaN])(
  'rejects a number that may have been rounded: %d',
  (rounded) => {
    for (const request of [{ params: { id: rounded } }, { query: { id: [1, rounded] } }])
      expect(() => writeTarget({ path: '/plants/:id' }, request)).toThrow(RangeError);
  },
);

it('writes a body with exact integers, if there is one', () => {
  expect(writeBody({ body: { id } })).toBe('{"id":9223372036854775807}');
  expect(writeBody({})).toBeUndefined();
});
