import { describe, expect, it } from 'vitest';
import { createPathMatcher } from './path-matcher.js';

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
