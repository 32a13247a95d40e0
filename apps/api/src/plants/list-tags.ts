import type { TagPage, TagQuery } from '@plant-store/contract';
import { readTagCursor, writeTagCursor } from '@plant-store/contract/cursor';
import { messages } from '@plant-store/contract/messages';
import { ServiceError } from '@plant-store/records';

import { examinedBy } from './list-plants.js';
import type { PlantStore } from './plant-store.js';

/** A page of tags, and how long the engine took, as in `Listed`. */
interface ListedTagPage extends TagPage {
  readonly readMs: number | undefined;
}

/**
 * Returns how many plants have each tag, of as many as the limits allow to examine.
 *
 * @param share the part of what a request may examine at most that this one may, from 0 to 1
 * @throws {ServiceError} `bad_request` when `after` is not the `next` of a page
 * @throws whatever the store throws
 */
export async function listTags(
  store: Pick<PlantStore, 'countValues'>,
  { after }: TagQuery,
  share: number,
): Promise<ListedTagPage> {
  const start = after === undefined ? undefined : readTagCursor(after);
  if (after !== undefined && start === undefined)
    throw new ServiceError('bad_request', messages.invalidCursor);
  const { counts, last, readMs } = await store.countValues('tag', start, examinedBy(share));
  return {
    tags: counts.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([tag, plants]) => ({ tag, plants })),
    next: last === undefined ? undefined : writeTagCursor(last),
    readMs,
  };
}
