import type { SqlQuery } from '@prisma/driver-adapter-utils';

/**
 * Runs a query and then takes its values away. Prisma's driver adapters remember the last 100 queries for a debug log
 * that nobody has asked for; with the plants of 100 commits that could be hundreds of megabytes.
 *
 * @param run hands the query to a connection of a driver adapter
 */
export async function clearArguments<Result>(
  query: SqlQuery,
  run: (query: SqlQuery) => Promise<Result>,
): Promise<Result> {
  try {
    return await run(query);
  } finally {
    query.args.length = 0;
  }
}
