import type { ArgType, SqlQuery } from '@prisma/driver-adapter-utils';

/** Runs a query, with a retry, a check or the like around it. */
export type QueryWrapper = <Result>(query: () => Promise<Result>) => Promise<Result>;

/** The types of a text, and of an integer that is passed as a bigint. */
export const text = { scalarType: 'string', arity: 'scalar' } as const satisfies ArgType;
export const integer = { scalarType: 'bigint', arity: 'scalar' } as const satisfies ArgType;

/** The types of lists. */
export const texts = { scalarType: 'string', arity: 'list' } as const satisfies ArgType;
export const integers = { scalarType: 'bigint', arity: 'list' } as const satisfies ArgType;

/**
 * Runs a query, and empties its list of values once it is over. Prisma's driver adapters keep the last 100 queries in
 * memory for a debug log, enabled or not; with the plants of 100 commits that could be hundreds of megabytes.
 *
 * @param run passes the query to a connection of a driver adapter
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

/**
 * Reads one page after the other, until one is empty.
 *
 * @param readPage reads what has the ids that follow an id; `undefined` for the first ones
 */
export async function* readPages<Row extends { readonly id: bigint }>(
  readPage: (after: bigint | undefined) => Promise<readonly Row[]>,
  after: bigint | undefined,
): AsyncGenerator<readonly Row[]> {
  let page = await readPage(after);
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    yield page;
    page = await readPage(last.id);
  }
}
