import { type CallOptions, type Client, ensureSuccess } from '@plant-store/client';
import type { NewPlant, StoredPlant } from '@plant-store/contract/operations';
import { hasSameTexts, pickTexts } from './texts.js';

/**
 * Reuses the id of a deleted plant for another one, or for the same one. If the same plant already exists, it may be from an attempt whose
 * reply was lost.
 *
 * @throws {RejectedError | PlantStoreError} when that failed, or may have failed
 */
export async function reuseId(
  client: Pick<Client, 'updatePlant' | 'getPlant'>,
  { id, ...plant }: NewPlant,
  options?: Pick<CallOptions, 'signal'>,
): Promise<{ readonly plant: StoredPlant; readonly etag: string | null }> {
  const params = { id };
  const headers = { 'if-none-match': '*' } as const;
  const body = pickTexts(plant);
  const reply = await client.updatePlant({ params, headers, body, ...options });
  if (reply.status === 412) {
    const now = await client.getPlant({ params, ...options });
    if (now.status === 200 && hasSameTexts(now.body, body)) return { plant: now.body, etag: now.etag };
  }
  const { body: stored, etag } = ensureSuccess(reply);
  return { plant: stored, etag };
}
