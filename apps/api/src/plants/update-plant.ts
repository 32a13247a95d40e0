import { hash } from 'node:crypto';
import type { Plant } from '@plant-store/contract';
import { type Conditions, findFailedCondition } from '@plant-store/contract/conditions';
import { fieldsOf, hasSameFields } from '@plant-store/contract/fields';
import { messages } from '@plant-store/contract/messages';
import { isTombstone, ServiceError } from '@plant-store/records';

import type { Caller } from '../runtime/callers.js';

import { type PlantQueue, type PlantRecord, plantTable, type StoredPlant } from './plant-store.js';

/**
 * Replaces the texts of a plant if the conditions of the request hold (RFC 9110, section 13.1). With `If-None-Match: *` it gives the id
 * of a deleted plant to a new one. A plant that has the texts already stays as it is, whatever `If-Match` says, since an earlier attempt
 * may have updated it (section 13.1.1).
 *
 * @throws {ServiceError} `precondition_required` without a condition, `plant_not_found`, or `precondition_failed` when one is false;
 * nothing is changed then
 * @throws whatever the queue throws
 */
export async function updatePlant(
  queue: Pick<PlantQueue, 'change'>,
  id: bigint,
  plant: Plant,
  conditions: Conditions,
  caller: Caller,
): Promise<StoredPlant> {
  const { 'if-match': match, 'if-none-match': noneMatch } = conditions;
  if (match === undefined && !noneMatch)
    throw new ServiceError('precondition_required', messages.preconditionRequired);
  const reusesId = match === undefined && noneMatch === '*';
  const fields = fieldsOf(plant);
  const replace = (existing: PlantRecord | undefined) => {
    if (existing === undefined) return undefined;
    if (isTombstone(existing)) return reusesId ? { id, ...fields, addedAt: Date.now() } : undefined;
    return findFailedCondition(conditions, entityTagOf(existing)) ? undefined : withFields(existing, fields);
  };
  const { before, after } = await queue.change({ id, bytes: plantTable.bytesOf(fields), replace }, caller);
  if (after !== undefined && !isTombstone(after)) return after;
  if (before === undefined || isTombstone(before))
    throw new ServiceError(
      'plant_not_found',
      reusesId ? messages.idNeverUsed(id) : messages.plantNotFound(id),
    );
  if (reusesId) throw new ServiceError('precondition_failed', messages.plantExists(id));
  const failed = findFailedCondition(conditions, entityTagOf(before));
  if (failed !== undefined && !(failed === 'if-match' && hasSameFields(before, fields)))
    throw conditionFailed(failed, id);
  return before;
}

/** The error for a condition that is false for the plant with an id. */
export function conditionFailed(failed: keyof Conditions, id: bigint): ServiceError {
  const message = failed === 'if-match' ? messages.plantChanged(id) : messages.plantExcluded(id);
  return new ServiceError('precondition_failed', message);
}

/** A plant with other texts; `undefined` if it has these already. */
export function withFields(plant: StoredPlant, fields: Plant): StoredPlant | undefined {
  const { id, addedAt = null, original = fingerprintOf(plant) } = plant;
  return hasSameFields(plant, fields) ? undefined : { id, ...fields, addedAt, original };
}

/**
 * The strong entity tag of a plant (RFC 9110, section 8.8.3), which is another one for another plant: so it needs no version that
 * would have to be stored, and to be moved with the plant.
 */
export function entityTagOf(plant: StoredPlant): string {
  return `"${digestOf([plant.addedAt ?? null, fieldsOf(plant)]).slice(0, 22)}"`;
}

/** What identifies the create of a plant once it is updated. Its texts cannot be read from it. */
export function fingerprintOf(plant: Plant): string {
  return digestOf(fieldsOf(plant));
}

/** The SHA-256 of a value's JSON, in base64url. */
function digestOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value), 'base64url');
}
