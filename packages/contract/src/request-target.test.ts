import { describe, expect, it } from 'vitest';
import { allowedMethods, createPathMatcher, matchPath, parseQuery } from './request-target.js';

describe('matchPath', () => {
  it('finds the operations of the contract', () => {
    expect(matchPath('/plants')).toEqual([
      { name: 'createPlant', method: 'POST', params: {} },
      { name: 'listPlants', method: 'GET', params: {} },
    ]);
    expect(matchPath('/plants/7')).toEqual([
      { name: 'deletePlant', method: 'DELETE', params: { id: '7' } },
      { name: 'getPlant', method: 'GET', params: { id: '7' } },
    ]);
  });

  it.each(['/', '/plant', '/Plants', '/plants/', '//plants', '/plants;x', '/%70lants', '/plants\n'])(
    'finds nothing under %j',
    (path) => {
      expect(matchPath(path)).toEqual([]);
    },
  );
});

describe('allowedMethods', () => {
  it('adds HEAD to GET, and names each method once', () => {
    const operations = ['GET', 'DELETE', 'GET'].map((method) => ({ method }));
    expect(allowedMethods(operations)).toEqual(['GET', 'HEAD', 'DELETE']);
  });
});

describe('parseQuery', () => {
  it.each([
    ['', {}],
    ['a=1&b=x%20y+z', { a: '1', b: 'x y z' }],
    ['a=1&b=2&a=3', { a: ['1', '3'], b: '2' }],
    ['a&=b', { a: '', '': 'b' }],
    ['a=%zz&b=%E0%A4%A&c=%&d=é&e=\t', { a: null, b: null, c: null, d: null, e: null }],
    ['a=%EF%BF%BD&%61=%FF&b%FF=1', { a: ['\ufffd', null], 'b%FF': '1' }],
    ['&&a=b=c&', { a: 'b=c' }],
    ['id[x]=1', { 'id[x]': '1' }],
  ])('of "%s" gives %j', (query, expected) => {
    expect({ ...parseQuery(query) }).toEqual(expected);
  });

  it('keeps names of members that objects have', () => {
    const parameters = parseQuery('__proto__=1&constructor=2');
    expect(Object.entries(parameters)).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]);
  });
});

describe('createPathMatcher', () => {
  const match = createPathMatcher({
    countPlants: { method: 'GET', path: '/plants/count' },
    getPlant: { method: 'GET', path: '/plants/:id' },
    removePlant: { method: 'DELETE', path: '/plants/:id' },
    getLeaf: { method: 'GET', path: '/v1.0/:plantId/leaves/:leafId' },
  });

  it('gives all operations under a path, in the order of the routes', () => {
    expect(match('/plants/count').map(({ name }) => name)).toEqual([
      'countPlants',
      'getPlant',
      'removePlant',
    ]);
  });

  it('gives parameters as they were sent', () => {
    expect(match('/v1.0/a%2Fb/leaves/7')[0]?.params).toEqual({ plantId: 'a%2Fb', leafId: '7' });
  });

  it.each(['/plants/', '/plants/1/', '/plants/1/2', '/v1x0/1/leaves/7'])('finds nothing under %s', (path) => {
    expect(match(path)).toEqual([]);
  });
});
