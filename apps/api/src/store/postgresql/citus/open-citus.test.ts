import { internalError, ServiceError } from '@plant-store/records';
import { expect, it } from 'vitest';

import { databaseUnavailable } from '../../database.js';
import { createWriteByShard } from './open-citus.js';

const outage = databaseUnavailable(new Error('the node is away'));

/** Writes numbers: those that are divisible by 4, by 2 only, and by neither have a shard each, the even ones on node 2. */
function createTestWrite(failWith: (ids: readonly bigint[]) => Error | undefined) {
  const statements: string[] = [];
  const away = new Set<number | undefined>();
  let checks = 0;
  const shards = [2, 2, 1].map((group) => ({ group, min: 0, max: 0 }));
  const writeByShard = createWriteByShard({
    locate: (id) => shards[[4n, 2n, 1n].findIndex((divisor) => id % divisor === 0n)],
    refusalOf: (group) => (away.has(group) ? outage : undefined),
    checkAll: async () => [void checks++],
  });
  const write = writeByShard<bigint, string>(
    async (ids) => {
      statements.push(ids.join());
      const error = failWith(ids);
      if (error !== undefined) throw error;
      return ids.map((id) => `wrote ${id}`);
    },
    (id) => id,
  );
  return { write, statements, away, checks: () => checks };
}

it('sends a statement for each shard, and returns the outcomes in the order of the items', async () => {
  const { write, statements } = createTestWrite(() => undefined);
  const ids = [1n, 4n, 2n, 8n, 3n, 6n, 1n];
  expect(await write(ids)).toEqual(ids.map((id) => `wrote ${id}`));
  expect(statements).toEqual(['1,3,1', '4,8', '2,6']);
});

it('refuses the items alone whose shard fails, once all nodes were checked, and sends none again', async () => {
  const { write, statements, checks } = createTestWrite((ids) => (ids.includes(2n) ? outage : undefined));
  expect(await write([1n, 2n, 4n, 6n])).toEqual(['wrote 1', outage, 'wrote 4', outage]);
  expect(statements).toHaveLength(3);
  expect(checks()).toBe(1);
});

it('sends nothing for a node that is away', async () => {
  const { write, statements, away } = createTestWrite(() => undefined);
  away.add(2);
  expect(await write([1n, 2n, 3n, 4n])).toEqual(['wrote 1', outage, 'wrote 3', outage]);
  expect(statements).toEqual(['1,3']);
});

it('rejects the item alone that is the reason why its statement fails', async () => {
  const violation = new Error('this row violates a constraint');
  const { write, checks } = createTestWrite((ids) => (ids.includes(3n) ? violation : undefined));
  const outcomes = await write([1n, 2n, 3n, 5n]);
  expect(outcomes).toEqual(['wrote 1', 'wrote 2', internalError(violation), 'wrote 5']);
  expect(outcomes[2]).toMatchObject({ cause: violation });
  expect(checks()).toBe(0);
});

it('rejects all items of a shard with an error of the service', async () => {
  const damaged = new ServiceError('database_damaged', 'damaged');
  const { write, statements } = createTestWrite((ids) => (ids.includes(3n) ? damaged : undefined));
  expect(await write([1n, 2n, 3n])).toEqual([damaged, 'wrote 2', damaged]);
  expect(statements).toHaveLength(2);
});
