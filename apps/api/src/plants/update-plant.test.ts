import { expect, it } from 'vitest';
import { entityTagOf, fingerprintOf } from './update-plant.js';

it('identifies a create as databases and exports of all versions have it', () => {
  const expected = 'bUyT64G1XBMZ1EKtOCs926bJ8JRkgfXiNyInnAAaDNo';
  expect(fingerprintOf({ name: 'Fern', tag: 'outdoor' })).toBe(expected);
  expect(fingerprintOf({ tag: 'outdoor', name: 'Fern' })).toBe(expected);
  expect(fingerprintOf({ name: 'Fern', tag: undefined })).toBe(fingerprintOf({ name: 'Fern' }));
});

it('has another entity tag for each other plant under an id, which what it was created as does not change', () => {
  const fern = { id: 1n, name: 'Fern', tag: 'outdoor', addedAt: 5 };
  const others = [{ name: 'Ivy' }, { tag: '' }, { tag: undefined }, { addedAt: 6 }, { addedAt: null }];
  const tags = [fern, ...others.map((other) => ({ ...fern, ...other }))].map(entityTagOf);
  expect(new Set(tags).size).toBe(tags.length);
  for (const tag of tags) expect(tag).toMatch(/^"[\w-]{22}"$/);
  expect(entityTagOf({ ...fern, original: 'x' })).toBe(tags[0]);
});
