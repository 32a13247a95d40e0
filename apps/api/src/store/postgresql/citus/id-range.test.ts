import { INT64_MAX, INT64_MIN } from '@plant-store/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nextRange, rangeAfter } from './read-by-range.js';

/** How many shards the ids are in, each of which sends as many ids as a page has. */
const shards = 4;

/** Reads sorted ids by ranges, and counts the queries and the ids that all shards send. */
function readByRanges(ids: readonly bigint[], pageSize: number, after?: bigint) {
  const read: bigint[] = [];
  const counts = { queries: 0, sent: 0 };
  let begin = 0;
  let range = rangeAfter(after);
  while (range !== undefined) {
    const { first, last } = range;
    expect(first >= INT64_MIN && first <= last && last <= INT64_MAX).toBe(true);
    while (begin < ids.length && (ids[begin] ?? first) < first) begin++;
    let end = begin;
    while (end < ids.length && (ids[end] ?? last) <= last && end - begin < shards * pageSize) end++;
    const found = ids.slice(begin, Math.min(end, begin + pageSize));
    read.push(...found);
    counts.queries++;
    counts.sent += end - begin;
    const continueAfter = found.length === pageSize ? found.at(-1) : undefined;
    range = nextRange(range, { count: found.length, continueAfter }, pageSize);
  }
  return { read, ...counts };
}

const anyId = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });
const extremeId = fc.constantFrom(INT64_MIN, INT64_MIN + 1n, -1n, 0n, 1n, INT64_MAX - 1n, INT64_MAX);
/** Ids that follow each other, or at a distance. */
const cluster = fc
  .record({ first: anyId, count: fc.nat({ max: 200 }), distance: fc.bigInt({ min: 1n, max: 2n ** 40n }) })
  .map(({ first, count, distance }) =>
    Array.from({ length: count }, (_, index) => first + BigInt(index) * distance),
  );
const sortedIds = fc
  .tuple(fc.array(fc.oneof(anyId, extremeId)), fc.array(cluster, { maxLength: 5 }))
  .map(([ids, clusters]) =>
    [...new Set([ids, ...clusters].flat())].filter((id) => id <= INT64_MAX).sort((a, b) => (a < b ? -1 : 1)),
  );

it('leads through all ids in their order, each once, wherever they are', () => {
  fc.assert(
    fc.property(sortedIds, fc.integer({ min: 1, max: 50 }), (ids, pageSize) => {
      expect(readByRanges(ids, pageSize).read).toEqual(ids);
    }),
  );
});

it('goes on after any id', () => {
  fc.assert(
    fc.property(sortedIds, fc.oneof(anyId, extremeId), (ids, after) => {
      expect(readByRanges(ids, 10, after).read).toEqual(ids.filter((id) => id > after));
    }),
  );
  expect(rangeAfter(INT64_MAX)).toBeUndefined();
});

const count = 100_000;
const consecutive = (first: bigint) => Array.from({ length: count }, (_, index) => first + BigInt(index));
const spread = Array.from(
  { length: count },
  (_, index) => INT64_MIN + (2n ** 64n * BigInt(index)) / BigInt(count),
);

it.each([
  { where: 'the lowest ids', ids: consecutive(INT64_MIN) },
  { where: 'after an empty half', ids: consecutive(0n) },
  { where: 'the highest ids', ids: consecutive(INT64_MAX - BigInt(count) + 1n) },
  { where: 'spread over all', ids: spread },
  {
    where: 'two clusters far from each other',
    ids: [...consecutive(-(2n ** 62n)), ...consecutive(2n ** 62n)],
  },
])('asks for little more than a page for each page, with 100,000 ids: $where', ({ ids }) => {
  const { read, queries, sent } = readByRanges(ids, 1_000);
  expect(read).toHaveLength(ids.length);
  expect(queries).toBeLessThan(ids.length / 1_000 + 30);
  expect(sent).toBeLessThan(1.2 * ids.length);
});

it('leads through an empty region in few queries', () => {
  expect(readByRanges([], 1_000).queries).toBe(1);
  // The first range after a page of consecutive ids is narrow.
  expect(readByRanges(consecutive(INT64_MIN).slice(0, 1_000), 1_000).queries).toBeLessThan(12);
});

it('sends a bounded multiple of ids in clusters of any size and distance', () => {
  for (const size of [1, 10, 1_000, 1_500, 2_000, 5_000]) {
    for (const distance of [10n ** 5n, 2n ** 40n, 2n ** 58n / BigInt(Math.ceil(count / size))]) {
      const ids = consecutive(0n).map(
        (_, index) => BigInt(Math.floor(index / size)) * distance + BigInt(index % size),
      );
      const { read, queries, sent } = readByRanges(ids, 1_000);
      expect(read).toHaveLength(ids.length);
      expect(sent).toBeLessThan(shards * 1.1 * ids.length);
      expect(queries).toBeLessThan(10 * (count / 1_000 + Math.min(count / size, 1_000)));
    }
  }
});
