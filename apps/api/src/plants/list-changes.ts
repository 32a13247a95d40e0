import type { Change, ChangePage, ChangeQuery, Plant } from '@plant-store/contract';
import { readChangeCursor, writeChangeCursor } from '@plant-store/contract/cursor';
import { messages } from '@plant-store/contract/messages';
import { isTombstone, type RecordChange, ServiceError, toIsoTime } from '@plant-store/records';

import { examinedBy } from './list-plants.js';
import type { PlantStore } from './plant-store.js';
import { showStoredPlant } from './show-plant.js';

/** How many changes a page has, unless its request says so. */
const defaultLimit = 100;

/** A page of changes, and how long the engine took, as in `Listed`. */
export interface ListedChangePage extends ChangePage {
  readonly readMs: number | undefined;
}

/**
 * Returns the changes after a position in their order, as many as the limits allow. The page is empty and its `next` is the same again
 * where there are no more.
 *
 * @param share the part of what a request may examine at most that this one may, from 0 to 1
 * @throws {ServiceError} `bad_request` when `after` is no `next` of a page, `cursor_expired` when it is one from before a restore
 * @throws whatever the store throws
 */
export async function listChanges(
  store: Pick<PlantStore, 'listChanges'>,
  { after, limit = defaultLimit }: ChangeQuery & { readonly after: string },
  share: number,
): Promise<ListedChangePage> {
  const position = after === '0' ? undefined : readChangeCursor(after);
  if (position === undefined && after !== '0')
    throw new ServiceError('bad_request', messages.invalidChangeCursor);
  const limits = { ...examinedBy(share), matches: limit };
  const startedAt = performance.now();
  let page = await store.listChanges(position, limits);
  // Where all of earlier versions have changed since, or there were none.
  while (page.changes.length === 0 && page.hasMore && performance.now() - startedAt < limits.durationMs)
    page = await store.listChanges(page.last, limits);
  const { changes, last, readMs } = page;
  return { changes: changes.map(show), next: writeChangeCursor(last), readMs };
}

/** The position of now: after it come only changes that are yet to be made, or to be shown. */
export async function findLatest(store: Pick<PlantStore, 'lastChange'>): Promise<string> {
  return writeChangeCursor(await store.lastChange());
}

function show({ record, at }: RecordChange<Plant>): Change {
  const { id } = record;
  const time = at === undefined ? {} : { at: toIsoTime(at) };
  if (isTombstone(record)) return { kind: 'deleted', id, idText: id.toString(), ...time };
  const kind = record.original === undefined ? 'created' : 'updated';
  return { kind, id, idText: id.toString(), plant: showStoredPlant(record), ...time };
}
