import { describe, expect, it } from 'vitest';
import { allowedMethods, matchPath, parseQuery } from './request-target.js';

describe('matchPath', () => {
  it('finds the operations of the contract', () => {
    expect(matchPath('/plants')).toEqual([{ name: 'createPlant', method: 'POST', params: {} }]);
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
    ['a=%zz&b=%E0%A4%A', { a: '%zz', b: '\ufffd%A' }],
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
