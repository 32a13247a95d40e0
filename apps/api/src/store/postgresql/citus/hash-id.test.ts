import { INT64_MAX, INT64_MIN } from '@plant-store/contract';
import { query } from '@plant-store/postgresql-server';
import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import { hashId } from './shard-map.js';

/** How many ids each of the two ways to choose them has. */
const count = 60_000;

const edges = [0n, 1n, 2n ** 31n, 2n ** 32n, 2n ** 33n, 2n ** 53n, INT64_MAX].flatMap((edge) =>
  [edge - 1n, edge, edge + 1n, -edge - 1n, -edge, -edge + 1n].filter(
    (id) => id >= INT64_MIN && id <= INT64_MAX,
  ),
);

it('is the hash that PostgreSQL computes', async () => {
  const ids = [
    ...edges,
    // fast-check prefers small and extreme values; the others are spread over all.
    ...fc.sample(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), count),
    ...Array.from({ length: count }, (_, index) => BigInt.asIntN(64, BigInt(index) * 0x9e3779b97f4a7c15n)),
  ];
  const rows = await query<{ hash: number }>(
    inject('postgresqlUrl'),
    'SELECT hashint8(id) AS hash FROM unnest($1::bigint[]) WITH ORDINALITY AS ids (id, place) ORDER BY place',
    [ids],
  );
  const wrong = ids.filter((id, index) => rows[index]?.hash !== hashId(id));
  expect(wrong).toEqual([]);
  expect(rows).toHaveLength(ids.length);
});
