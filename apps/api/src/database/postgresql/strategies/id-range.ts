import { INT64_MAX, INT64_MIN } from '@plant-store/contract';

/** The ids from the first to the last, both included. */
export interface IdRange {
  readonly first: bigint;
  readonly last: bigint;
}

/** What was found in a range: the lowest ids in it, in ascending order. */
export interface FoundIds {
  readonly count: number;
  /** The last one, if there may be more in the range. */
  readonly continueAfter: bigint | undefined;
}

/** How many times wider than the ids just read the next range may be: few queries lead through any gap. */
const maxGrowth = 256n;

/** All ids after one; `undefined` if there are none. */
export function rangeAfter(id: bigint | undefined): IdRange | undefined {
  return toRange(id === undefined ? INT64_MIN : id + 1n, INT64_MAX);
}

/**
 * The range to read after another one, as wide as the ids of a page would be if they went on as in the former. Ids may be
 * dense in one place and sparse in the next, so that a range has more or fewer than expected: with more it is read up to a
 * page, after which the next one is narrow.
 *
 * @param pageSize how many ids are read from a range at most
 * @returns `undefined` when all ids have been read
 */
export function nextRange(
  range: IdRange,
  { count, continueAfter }: FoundIds,
  pageSize: number,
): IdRange | undefined {
  const end = continueAfter ?? range.last;
  const width = end - range.first + 1n;
  const maxWidth = width * maxGrowth;
  const expected = count === 0 ? maxWidth : (width * BigInt(pageSize)) / BigInt(count);
  return toRange(end + 1n, end + (expected < maxWidth ? expected : maxWidth));
}

/** The range without what is beyond an int64; `undefined` if that is all of it. */
function toRange(first: bigint, last: bigint): IdRange | undefined {
  if (first > INT64_MAX) return undefined;
  return { first, last: last < INT64_MAX ? last : INT64_MAX };
}
