import { describe, expect, it } from 'vitest';
import { readCursor, writeCursor } from './cursor.js';
import { INT64_MAX, INT64_MIN } from './int64.js';

const positions = [0n, 7n, -1n, INT64_MIN, INT64_MAX].flatMap((id) => [
  { id },
  { id, addedAt: 0 },
  { id, addedAt: 1_795_000_000_000 },
]);

describe('a cursor', () => {
  it.each(positions)('has the position that it was written for: $id, $addedAt', (position) => {
    for (const query of [{}, { order: 'newest', tag: '🌱', q: '.' } as const]) {
      expect(readCursor(query, writeCursor(query, position))).toStrictEqual(position);
    }
  });

  it('is one of the same plants in the same order alone, however many a page has', () => {
    const query = { tag: 'a', q: 'b' } as const;
    const cursor = writeCursor(query, { id: 1n });
    expect(readCursor({ ...query, order: 'id', limit: 7, after: 'x' }, cursor)).toEqual({ id: 1n });
    for (const other of [
      {},
      { tag: 'a' },
      { q: 'b' },
      { tag: 'b', q: 'a' },
      { ...query, order: 'newest' } as const,
    ])
      expect(readCursor(other, cursor)).toBeUndefined();
    expect(readCursor({ tag: '' }, writeCursor({}, { id: 1n }))).toBeUndefined();
  });

  it('is rejected if it is of another version, or nothing that was ever written', () => {
    const cursor = writeCursor({}, { id: INT64_MAX, addedAt: 5 });
    const start = cursor.slice(0, cursor.indexOf('.5.'));
    expect(cursor).toBe(`${start}.5.9223372036854775807`);
    for (const wrong of [
      ...[
        '',
        '.',
        'x',
        `2${cursor.slice(1)}`,
        ` ${cursor}`,
        `${cursor}\n`,
        `${start}.5`,
        `${start}.5.`,
        `${start}.5.01`,
      ],
      ...[
        `${start}.5.-0`,
        `${start}.-5.1`,
        `${start}.x.1`,
        `${start}.5.9223372036854775808`,
        `${start}.5.${'9'.repeat(400)}`,
      ],
    ])
      expect(readCursor({}, wrong)).toBeUndefined();
  });
});
