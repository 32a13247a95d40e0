import { type CallOptions, type Client, ensureSuccess } from '@plant-store/client';
import type { NewPlant, StoredPlant } from '@plant-store/contract/operations';
import { hasSameTexts, pickTexts } from './texts.js';

/**
 * Stores a plant under the ID of a deleted plant. If the same plant already exists, this also succeeds, because an earlier reply might have
 * been lost.
 *
 * @throws {RejectedError | PlantStoreError} when the plant is not stored, or might not be
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
    const current = await client.getPlant({ params, ...options });
    if (current.status === 200 && hasSameTexts(current.body, body))
      return { plant: current.body, etag: current.etag };
  }
  const { body: stored, etag } = ensureSuccess(reply);
  return { plant: stored, etag };
}
