import { INT64_MAX, INT64_MIN } from '@plant-store/contract';
import { query } from '@plant-store/postgresql-server';
import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import { hashId } from './hash-id.js';

it('is the hash that PostgreSQL computes', async () => {
  const ids = [
    ...[2n ** 31n, 2n ** 32n, 2n ** 53n].flatMap((edge) => [edge - 1n, edge, -edge, -edge - 1n]),
    // fast-check prefers small and extreme values; the others are spread over all.
    ...fc.sample(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), 10_000),
    ...Array.from({ length: 10_000 }, (_, index) => BigInt.asIntN(64, BigInt(index) * 0x9e3779b97f4a7c15n)),
  ];
  const rows = await query<{ hash: number }>(
    inject('postgresqlUrl'),
    'SELECT hashint8(id) AS hash FROM unnest($1::bigint[]) WITH ORDINALITY AS ids (id, place) ORDER BY place',
    [ids],
  );
  expect(rows.map(({ hash }) => hash)).toEqual(ids.map(hashId));
});
