import { MAX_PLANTS, type PlantQuery } from '@plant-store/contract';
import { readCursor, writeCursor } from '@plant-store/contract/cursor';
import { messages } from '@plant-store/contract/messages';
import { type ListPosition, type ListQuery, ServiceError } from '@plant-store/records';

import type { PlantStore, StoredPlant } from './plant-store.js';

/** How many plants a page has, unless its request says so. */
const defaultLimit = 100;

/** How many plants one request examines at most, how many bytes their texts may have, in UTF-8, and how long it may take. */
const maxExamined = { records: 10_000, bytes: 2 ** 22, durationMs: 100 };

/** What it may examine in any case, however many callers share the time: as much as a page without a filter needs. */
const minExamined = { records: MAX_PLANTS, bytes: 2 ** 18, durationMs: 10 };

/** A page of plants, and where the next one begins; without that it is the last. */
interface Page {
  readonly plants: StoredPlant[];
  readonly next: string | undefined;
  /** As in `Listed`. */
  readonly readMs: number | undefined;
}

/**
 * Returns a page of the plants that match a query. With a filter it may be short, or empty, before the last one.
 *
 * @param share the part of what a request may examine at most that this one may, from 0 to 1
 * @throws {ServiceError} `bad_request` when `after` is not the `next` of a page of this query
 * @throws whatever the store throws
 */
export async function listPlants(
  store: Pick<PlantStore, 'list'>,
  query: PlantQuery,
  share: number,
): Promise<Page> {
  const { limit = defaultLimit, after, order = 'id', q, addedFrom, addedBefore, ...equal } = query;
  const start = after === undefined ? undefined : readCursor(query, after);
  if (after !== undefined && start === undefined) {
    throw new ServiceError('bad_request', messages.invalidCursor);
  }
  const examined = examinedBy(share);
  const range = { addedFrom: toTime(addedFrom), addedBefore: toTime(addedBefore) };
  const list = (part: ListQuery['order'], from: ListPosition | undefined, matches: number) =>
    store.list({ order: part, after: from, q, equal, ...range }, { ...examined, matches });
  const isUntimed = order === 'newest' && start !== undefined && start.addedAt === undefined;
  const { records: plants, last, readMs } = await list(isUntimed ? 'untimed' : order, start, limit);
  if (last !== undefined) return { plants: [...plants], next: writeCursor(query, last), readMs };
  const isTimed = addedFrom !== undefined || addedBefore !== undefined;
  if (order !== 'newest' || isUntimed || isTimed) return { plants: [...plants], next: undefined, readMs };
  // Those without a time come last, if only to find out that there are none.
  const rest = await list('untimed', undefined, Math.max(1, limit - plants.length));
  if (plants.length === limit && rest.records.length > 0) {
    const end = plants.at(-1);
    return {
      plants: [...plants],
      next: end && writeCursor(query, { id: end.id, addedAt: end.addedAt ?? undefined }),
      readMs,
    };
  }
  return { plants: [...plants, ...rest.records], next: rest.last && writeCursor(query, rest.last), readMs };
}

const toTime = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));

/** How much a request may examine that has a part of the time, from 0 to 1. */
export function examinedBy(share: number) {
  return {
    records: Math.max(minExamined.records, Math.floor(maxExamined.records * share)),
    bytes: Math.max(minExamined.bytes, Math.floor(maxExamined.bytes * share)),
    durationMs: Math.max(minExamined.durationMs, maxExamined.durationMs * share),
  };
}
