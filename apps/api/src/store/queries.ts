import type { ArgType } from '@prisma/driver-adapter-utils';

/** Runs a query, with a retry, a check or the like around it. */
export type QueryWrapper = <Result>(query: () => Promise<Result>) => Promise<Result>;

/** The types of a text, and of an integer that is passed as a bigint. */
export const text = { scalarType: 'string', arity: 'scalar' } as const satisfies ArgType;
export const integer = { scalarType: 'bigint', arity: 'scalar' } as const satisfies ArgType;

/** The types of lists. */
export const texts = { scalarType: 'string', arity: 'list' } as const satisfies ArgType;
export const integers = { scalarType: 'bigint', arity: 'list' } as const satisfies ArgType;

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
