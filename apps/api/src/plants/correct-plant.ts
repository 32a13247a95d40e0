import { hash } from 'node:crypto';
import type { Plant, Precondition } from '@plant-store/contract';
import { fieldsOf, hasSameFields } from '@plant-store/contract/fields';
import { messages } from '@plant-store/contract/messages';
import { ServiceError } from '../errors/service-error.js';
import type { Caller } from '../runtime/callers.js';
import { isTombstone } from '../store/store.js';
import { type PlantQueue, type PlantRecord, plantTable, type StoredPlant } from './plant-store.js';

/** The precondition of a request, as its headers have it. */
export type PreconditionHeaders = { readonly [Name in keyof Precondition]?: string | undefined };

/**
 * Replaces the texts of a plant, if it is the one that `If-Match` names (RFC 9110, section 13.1.1). A plant that has the texts
 * already stays as it is, whatever that says, since an earlier attempt may have corrected it. With `If-None-Match: *` (section
 * 13.1.2) it gives the id of a deleted plant to a new one.
 *
 * @throws {ServiceError} `precondition_required` without exactly one of them, `plant_not_found`, or `precondition_failed` when
 * another plant has the id; nothing is changed then
 * @throws whatever the queue throws
 */
export async function correctPlant(
  queue: Pick<PlantQueue, 'change'>,
  id: bigint,
  plant: Plant,
  { 'if-match': tags, 'if-none-match': none }: PreconditionHeaders,
  caller: Caller,
): Promise<StoredPlant> {
  if ((tags === undefined) === (none === undefined))
    throw new ServiceError('precondition_required', messages.preconditionRequired);
  const fields = fieldsOf(plant);
  const replace = tags === undefined ? giveAgain(id, fields) : correct(fields, tags);
  const { before, after } = await queue.change({ id, bytes: plantTable.bytesOf(fields), replace }, caller);
  if (after !== undefined && !isTombstone(after)) return after;
  if (before === undefined || isTombstone(before))
    throw new ServiceError(
      'plant_not_found',
      tags === undefined ? messages.idNeverUsed(id) : messages.plantNotFound(id),
    );
  if (tags === undefined) throw new ServiceError('precondition_failed', messages.plantExists(id));
  if (hasSameFields(before, fields)) return before;
  throw new ServiceError('precondition_failed', messages.plantChanged(id, tags));
}

type Replace = (existing: PlantRecord | undefined) => StoredPlant | undefined;

function correct(fields: Plant, tags: string): Replace {
  return (existing) => {
    if (existing === undefined || isTombstone(existing)) return undefined;
    return namesTag(tags, entityTagOf(existing)) ? withFields(existing, fields) : undefined;
  };
}

/** A plant with other texts; `undefined` if it has these already. */
export function withFields(plant: StoredPlant, fields: Plant): StoredPlant | undefined {
  const { id, addedAt = null, original = fingerprintOf(plant) } = plant;
  return hasSameFields(plant, fields) ? undefined : { id, ...fields, addedAt, original };
}

function giveAgain(id: bigint, fields: Plant): Replace {
  const given = { id, ...fields, addedAt: Date.now() };
  return (existing) => (existing !== undefined && isTombstone(existing) ? given : undefined);
}

/**
 * The strong entity tag of a plant (RFC 9110, section 8.8.3), which is another one for another plant: so it needs no version that
 * would have to be stored, and to be moved with the plant.
 */
export function entityTagOf(plant: StoredPlant): string {
  return `"${digestOf([plant.addedAt ?? null, fieldsOf(plant)]).slice(0, 22)}"`;
}

/** Whether a list of entity tags, or `*`, has a tag, compared exactly. */
export function namesTag(tags: string, tag: string): boolean {
  return tags === '*' || tags.split(',').some((part) => part.trim() === tag);
}

/** What identifies the create of a plant once it is corrected. Its texts cannot be read from it. */
export function fingerprintOf(plant: Plant): string {
  return digestOf(fieldsOf(plant));
}

/** The SHA-256 of a value's JSON, in base64url. */
function digestOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'base64url');
}
