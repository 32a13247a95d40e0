import { expect, it } from 'vitest';
import { formatRoute, parseRoute } from './route.js';

it.each([
  ['/', { view: 'plants', filter: { order: 'newest' } }],
  ['/add', { view: 'add', filter: { order: 'newest' } }],
  ['/import', { view: 'import', filter: { order: 'newest' } }],
  ['/p/-9223372036854775808', { view: 'plants', id: '-9223372036854775808', filter: { order: 'newest' } }],
  ['/?q=a%26b+c&tag=bed%3D1&order=id', { view: 'plants', filter: { q: 'a&b c', tag: 'bed=1', order: 'id' } }],
  ['/p/7?tag=', { view: 'plants', id: '7', filter: { tag: '', order: 'newest' } }],
] as const)('has an address for each view: %s', (address, route) => {
  expect(parseRoute(new URL(address, 'http://localhost'))).toEqual(route);
  expect(formatRoute(route)).toBe(address);
});

it.each(['/p/', '/p/x', '/p/1.5', '/p/12345678901234567890', '/elsewhere', '/?order=name&q='])(
  'shows the plants at any other address: %s',
  (address) => {
    const route = parseRoute(new URL(address, 'http://localhost'));
    expect(route).toEqual({ view: 'plants', filter: { order: 'newest' } });
  },
);
