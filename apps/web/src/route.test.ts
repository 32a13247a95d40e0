import { expect, it } from 'vitest';
import { findBasePath, formatRoute, parseRoute } from './route.js';

it.each([
  ['/', { view: 'plants', filter: { order: 'newest' } }],
  ['/add', { view: 'add', filter: { order: 'newest' } }],
  ['/import', { view: 'import', filter: { order: 'newest' } }],
  ['/p/-9223372036854775808', { view: 'plants', id: '-9223372036854775808', filter: { order: 'newest' } }],
  ['/?q=a%26b+c&tag=bed%3D1&order=id', { view: 'plants', filter: { q: 'a&b c', tag: 'bed=1', order: 'id' } }],
  ['/?without=tag&order=-name', { view: 'plants', filter: { without: 'tag', order: '-name' } }],
  ['/p/7?tag=', { view: 'plants', id: '7', filter: { tag: '', order: 'newest' } }],
] as const)('has an address for each view: %s', (address, route) => {
  expect(parseRoute(new URL(address, 'http://localhost'))).toEqual(route);
  expect(formatRoute(route)).toBe(address);
});

it.each(['/p/', '/p/x', '/p/1.5', '/p/12345678901234567890', '/elsewhere', '/?order=tag&q=&without=name'])(
  'shows the plants at any other address: %s',
  (address) => {
    const route = parseRoute(new URL(address, 'http://localhost'));
    expect(route).toEqual({ view: 'plants', filter: { order: 'newest' } });
  },
);

it.each(['/', '/shop/', '/a/p/', '/import/'])('finds the prefix %s in the address of each view', (base) => {
  for (const view of ['', 'add', 'import', 'p/7', 'p/-9223372036854775808', 'elsewhere', 'p'])
    expect(findBasePath(base + view)).toBe(base);
});

it('has the prefix in the address of each view', () => {
  const filter = { order: 'newest' } as const;
  for (const view of ['', 'add', 'import', 'p/7?tag=a']) {
    const route = parseRoute(new URL(`/shop/${view}`, 'http://localhost'), '/shop/');
    expect(formatRoute(route, '/shop/')).toBe(`/shop/${view}`);
  }
  expect(parseRoute(new URL('/add', 'http://localhost'), '/shop/')).toEqual({ view: 'plants', filter });
});
