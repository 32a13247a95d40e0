import { expect, it } from 'vitest';
import { clearArguments, integer } from './queries.js';

// Prisma's adapters keep the last 100 queries, but not copies of their values. At an upgrade look for `debug(` in their
// `executeRaw` and `queryRaw`: this covers our side only.

const newQuery = () => ({ sql: 'SELECT ?', args: [1n], argTypes: [integer] });

it('passes the query on with its values, and empties them once it is over', async () => {
  const query = newQuery();
  const result = await clearArguments(query, async ({ args }) => {
    await Promise.resolve();
    return [...args];
  });
  expect(result).toEqual([1n]);
  expect(query).toEqual({ ...newQuery(), args: [] });
});

it('empties them when the query fails, too', async () => {
  const query = newQuery();
  await expect(clearArguments(query, () => Promise.reject(new Error('disk full')))).rejects.toThrow(
    'disk full',
  );
  expect(query.args).toEqual([]);
});
