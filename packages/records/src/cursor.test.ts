import { INT64_MAX, INT64_MIN } from '@plant-store/contract';
import { resources } from '@plant-store/contract/resources';
import { expect, it } from 'vitest';
import {
  cursorsOf,
  type RecordQuery,
  readChangeCursor,
  readCountCursor,
  writeChangeCursor,
  writeCountCursor,
} from './cursor.js';
import type { ListPosition } from './store.js';

const { read, write: writeCursor } = cursorsOf(resources.plant);
/** Only the position. */
const readCursor = (query: RecordQuery, cursor: string) => read(query, cursor)?.position;

const positions = [0n, 7n, -1n, INT64_MIN, INT64_MAX].flatMap((id) => [
  { id },
  ...[-5, 0, 1_795_000_000_000].map((addedAt) => ({ id, addedAt })),
]);

it.each(positions)('has the position that it was written for: $id, $addedAt', (position) => {
  for (const query of [{}, { order: 'newest' as const, tag: '🌱', q: '.' }]) {
    expect(readCursor(query, writeCursor(query, position))).toStrictEqual(position);
  }
});

it('begins in the part of the order that contains the position', () => {
  const ordersOf = (order: string, position?: ListPosition) =>
    read({ order }, position && writeCursor({ order }, position))?.orders;
  const [timed, untimed] = [{ id: 1n, addedAt: 5 }, { id: 1n }];
  expect(ordersOf('newest')).toEqual(['newest', 'untimed']);
  expect(ordersOf('newest', timed)).toEqual(['newest', 'untimed']);
  expect(ordersOf('newest', untimed)).toEqual(['untimed']);
  expect(ordersOf('oldest')).toEqual(['-untimed', 'oldest']);
  expect(ordersOf('oldest', untimed)).toEqual(['-untimed', 'oldest']);
  expect(ordersOf('oldest', timed)).toEqual(['oldest']);
  expect(ordersOf('-name', { id: 1n, key: 'é🌱' })).toEqual(['-name']);
});

it('has the sort key of a list by text', () => {
  for (const key of ['', 'fern', 'é🌱\u{10ffff}', '苗'.repeat(64)]) {
    const position = { id: 7n, key };
    expect(readCursor({ order: 'name' }, writeCursor({ order: 'name' }, position))).toStrictEqual(position);
  }
  // A position with an unexpected text, or without an expected one.
  const [byName, byId] = [writeCursor({ order: 'name' }, { id: 7n, key: '' }), writeCursor({}, { id: 7n })];
  expect(readCursor({ order: 'name' }, byName)).toStrictEqual({ id: 7n, key: '' });
  for (const wrong of [`${byName}A`, byName.slice(0, -1)])
    expect(readCursor({ order: 'name' }, wrong)).toBeUndefined();
  expect(readCursor({}, `${byId}.QQ`)).toBeUndefined();
});

it('of counted values has the last value, or its beginning if it is long', () => {
  const cursorOf = (...values: string[]) => {
    const { count, cursor } = writeCountCursor('tag', values);
    return [count, readCountCursor('tag', cursor)];
  };
  expect(cursorOf('', 'é🌱')).toEqual([2, 'é🌱']);
  expect(cursorOf('a', 'b'.repeat(300))).toEqual([1, 'a']);
  expect(cursorOf('b'.repeat(300))).toEqual([1, `${'b'.repeat(180)}\u{10ffff}`]);
  for (const wrong of ['1.tags.7', '2.names.YQ', '2.tags.A', '2.tags.*'])
    expect(readCountCursor('tag', wrong)).toBeUndefined();
});

it('is valid only for the same plants in the same order, with any page size', () => {
  const query = { tag: 'a', q: 'b' };
  const cursor = writeCursor(query, { id: 1n });
  expect(readCursor({ ...query, order: 'id', limit: 7, after: 'x' }, cursor)).toEqual({ id: 1n });
  const others: (RecordQuery & { readonly tag?: string })[] = [
    {},
    { tag: 'a' },
    { q: 'b' },
    { tag: 'b', q: 'a' },
  ];
  for (const other of [...others, { ...query, order: 'newest' } as const])
    expect(readCursor(other, cursor)).toBeUndefined();
  const emptyTag = { limit: 7, tag: '' };
  expect(readCursor(emptyTag, writeCursor({}, { id: 1n }))).toBeUndefined();
  for (const name of ['addedFrom', 'addedBefore'] as const) {
    const of = (year: number) => ({ [name]: `${year}-01-01T00:00:00Z` });
    for (const other of [{}, of(2026)])
      expect(readCursor(other, writeCursor(of(2025), { id: 1n }))).toBeUndefined();
  }
  // A cursor as version 1.3 wrote it.
  expect(readCursor(query, '1.ft54gt..1')).toEqual({ id: 1n });
});

it('is rejected if it is from another version, or was never issued', () => {
  const cursor = writeCursor({}, { id: INT64_MAX, addedAt: 5 });
  const start = cursor.slice(0, cursor.indexOf('.5.'));
  expect(cursor).toBe(`${start}.5.9223372036854775807`);
  const ends = [
    '.5',
    '.5.',
    '.5.01',
    '.5.-0',
    '.--5.1',
    '.-.1',
    '.x.1',
    `.5.${INT64_MAX + 1n}`,
    `.5.${'9'.repeat(400)}`,
  ];
  const others = ['', '.', 'x', `2${cursor.slice(1)}`, ` ${cursor}`, `${cursor}\n`];
  for (const wrong of [...others, ...ends.map((end) => start + end)])
    expect(readCursor({}, wrong), wrong).toBeUndefined();
});

it('of changes has the generation of the store, or none if the store accepts cursors of version 1.4', () => {
  const places = [
    ['1.12.7', { generation: '', number: 12, id: 7n }],
    ['1..-7', { generation: '', id: -7n }],
    ['2.0a1b2c3d.12.7', { generation: '0a1b2c3d', number: 12, id: 7n }],
    [`2.0a1b2c3d..${INT64_MAX}`, { generation: '0a1b2c3d', id: INT64_MAX }],
  ] as const;
  for (const [cursor, place] of places) {
    expect(writeChangeCursor(place)).toBe(cursor);
    expect(readChangeCursor(cursor)).toStrictEqual(place);
  }
  const wrong = '2.12.7 2.0A1B2C3D.12.7 2.0a1b2c3.12.7 2..12.7 3.0a1b2c3d.12.7 1.0a1b2c3d.12.7';
  for (const cursor of wrong.split(' ')) expect(readChangeCursor(cursor), cursor).toBeUndefined();
});
