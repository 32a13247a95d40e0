import { INT64_MAX, INT64_MIN } from '@plant-store/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createShardMap, hashId } from './shard-map.js';

const id = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });

it('finds the shard whose range has the hash of the id', () => {
  const bounds = fc.uniqueArray(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 2 }), { maxLength: 40 });
  fc.assert(
    fc.property(bounds, fc.array(id, { minLength: 1 }), (splits, ids) => {
      const maxHashes = [...splits.toSorted((a, b) => a - b), 2 ** 31 - 1];
      const shards = maxHashes.map((maxHash, index) => ({
        id: 102_008 + index,
        minHash: (maxHashes[index - 1] ?? -(2 ** 31) - 1) + 1,
        maxHash,
        node: index % 3,
      }));
      const map = createShardMap(shards);
      for (const next of ids) {
        const hash = hashId(next);
        const expected = shards.find(({ minHash, maxHash }) => minHash <= hash && hash <= maxHash);
        expect(map.shardOf(next)).toBe(expected?.id);
      }
    }),
  );
});

it('has the node of each shard, and which fraction of the ids it has', () => {
  const map = createShardMap([
    { id: 1, minHash: -(2 ** 31), maxHash: -1, node: 7, address: { host: 'db-1', port: 5432 } },
    { id: 2, minHash: 0, maxHash: 2 ** 30 - 1, node: 8 },
    { id: 3, minHash: 2 ** 30, maxHash: 2 ** 31 - 1, node: 7, address: { host: 'db-1', port: 5432 } },
  ]);
  expect([1, 2, 3, 4].map(map.shareOf)).toEqual([0.5, 0.25, 0.25, 0]);
  expect([1, 2, 3, 4].map(map.nodeOf)).toEqual([7, 8, 7, undefined]);
  expect([...map.nodes]).toEqual([
    [7, { host: 'db-1', port: 5432 }],
    [8, undefined],
  ]);
});
