import { expect, it } from 'vitest';
import { fieldsetOf } from './columns.js';
import type { Plant } from './operations.js';
import { int64List } from './resource.js';
import { resources } from './resources.js';

const { names, pick, isSame } = fieldsetOf<Plant>(resources.plant);
const rose = { id: 9_007_199_254_740_993n, name: 'Rose, "Peace"\n', tag: ' climber' };

it('records are the same by their fields, and an empty field differs from an absent one', () => {
  expect(isSame(rose, { ...rose, id: 1n } as typeof rose)).toBe(true);
  expect(isSame({ name: 'Fern' }, { name: 'Fern', tag: undefined })).toBe(true);
  expect(isSame({ name: 'Fern' }, { name: 'Fern', tag: '' })).toBe(false);
  expect(isSame({ name: 'Fern' }, { name: 'fern' })).toBe(false);
});

it('lists of integers are the same by their values', () => {
  const field = int64List({ label: 'Plants', description: 'Its plants', example: [] });
  const garden = fieldsetOf<{ plantIds?: bigint[] }>({ fields: { plantIds: field } });
  expect(garden.isSame({ plantIds: [1n, 2n] }, { plantIds: [1n, 2n] })).toBe(true);
  expect(garden.isSame({ plantIds: [1n, 2n] }, { plantIds: [12n] })).toBe(false);
  expect(garden.isSame({ plantIds: [] }, {})).toBe(false);
});

it('the fields of a stored record are those of its resource', () => {
  expect(names).toEqual(['name', 'tag']);
  expect(pick({ ...rose, addedAt: '2026-11-25T10:00:00.000Z' } as typeof rose)).toEqual({
    name: rose.name,
    tag: rose.tag,
  });
  expect(Object.keys(pick({ name: 'Fern', tag: undefined }))).toEqual(['name']);
});
