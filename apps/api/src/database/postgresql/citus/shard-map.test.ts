import { INT64_MAX, INT64_MIN } from '@plant-store/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hashId } from './hash-id.js';
import { createShardMap } from './shard-map.js';

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
