import { expect, it } from 'vitest';
import { allowedMethods, createPathMatcher, matchPath, parseQuery } from './request-target.js';

it('finds the operations of the contract', () => {
  expect(matchPath('/plants')).toEqual([
    { name: 'createPlant', method: 'POST', params: {} },
    { name: 'listPlants', method: 'GET', params: {} },
  ]);
  expect(matchPath('/plants/batch/get')).toEqual([{ name: 'getPlants', method: 'POST', params: {} }]);
  expect(matchPath('/plants/7')).toEqual([
    { name: 'getPlant', method: 'GET', params: { id: '7' } },
    { name: 'updatePlant', method: 'PUT', params: { id: '7' } },
    { name: 'deletePlant', method: 'DELETE', params: { id: '7' } },
  ]);
});

it.each(['/', '/plant', '/Plants', '/plants/', '//plants', '/plants;x', '/%70lants', '/plants\n'])(
  'finds none under %j',
  (path) => {
    expect(matchPath(path)).toEqual([]);
  },
);

it('finds the operations of other routes, in order, with the parameters as sent', () => {
  const match = createPathMatcher({
    countPlants: { method: 'GET', path: '/plants/count' },
    getPlant: { method: 'GET', path: '/plants/:id' },
    getLeaf: { method: 'GET', path: '/v1.0/:plantId/leaves/:leafId' },
  });
  expect(match('/plants/count').map(({ name }) => name)).toEqual(['countPlants', 'getPlant']);
  expect(match('/v1.0/a%2Fb/leaves/7')[0]?.params).toEqual({ plantId: 'a%2Fb', leafId: '7' });
  expect(['/plants/', '/plants/1/', '/plants/1/2', '/v1x0/1/leaves/7'].flatMap(match)).toEqual([]);
});

it('adds HEAD to GET, and names each method once', () => {
  const operations = ['GET', 'DELETE', 'GET'].map((method) => ({ method }));
  expect(allowedMethods(operations)).toEqual(['GET', 'HEAD', 'DELETE']);
});

it.each([
  ['', {}],
  ['a=1&b=x%20y+z', { a: '1', b: 'x y z' }],
  ['a=1&b=2&a=3&a=4', { a: ['1', '3', '4'], b: '2' }],
  ['a&=b', { a: '', '': 'b' }],
  ['a=%zz&b=%E0%A4%A&c=%&d=é&e=\t', { a: null, b: null, c: null, d: null, e: null }],
  ['a=%EF%BF%BD&%61=%FF&b%FF=1', { a: ['\ufffd', null], 'b%FF': '1' }],
  ['&&a=b=c&', { a: 'b=c' }],
  ['id[x]=1', { 'id[x]': '1' }],
  ['__proto__=1&constructor=2', { ['__proto__']: '1', constructor: '2' }],
])('the query "%s" has the parameters %j', (query, expected) => {
  expect(Object.entries(parseQuery(query))).toEqual(Object.entries(expected));
});
