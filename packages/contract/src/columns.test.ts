import { expect, it } from 'vitest';
import { garden } from '../test/garden.js';
import { columnsOf, fieldsetOf } from './columns.js';
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

it('a value of each kind is the same after it was in a column, as each driver returns it', () => {
  const { toColumn, toColumns, readColumns, identify } = columnsOf<object>(garden);
  const plantedAt = '2026-11-25T10:00:00.007Z';
  const kew = { name: 'Kew', area: 9007199254740993n, isOpen: true, plantedAt, plantIds: [7n, -1n] };
  const columns = ['Kew', 9007199254740993n, 1, Date.parse(plantedAt), '[7,-1]'];
  expect(toColumns({ ...kew, id: 1n })).toEqual(columns);
  const asText = ['Kew', '9007199254740993', true, String(Date.parse(plantedAt)), '[7,-1]'];
  for (const row of [columns, asText]) {
    const read = { id: 1n };
    readColumns(['before', ...row], 1, read);
    expect(read).toEqual({ id: 1n, ...kew });
  }
  const bare = { name: '', isOpen: false, plantIds: [] };
  expect(toColumns(bare)).toEqual(['', null, 0, null, '[]']);
  const read = {};
  readColumns(['', undefined, 0, null, '[]'], 0, read);
  expect(read).toEqual(bare);
  expect([toColumn('area', 7n), toColumn('area', undefined), toColumn('other', 7n)]).toEqual([
    7n,
    null,
    null,
  ]);
  expect(identify(kew)).toBe(
    `{"name":"Kew","area":"9007199254740993","isOpen":1,"plantedAt":${columns[3]},"plantIds":"[7,-1]"}`,
  );
  expect(identify(bare)).toBe('{"name":"","isOpen":0,"plantIds":"[]"}');
});
