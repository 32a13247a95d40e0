import type { CallOptions, Client } from '@plant-store/client';
import { ensureSuccess } from '@plant-store/client/unwrap';
import type { StoredPlant } from '@plant-store/contract/operations';

/**
 * A plant as the service has it, with what names it as that for a correction.
 *
 * @throws {RejectedError | PlantStoreError} where it cannot be read
 */
export async function getWithEtag(
  client: Pick<Client, 'getPlant'>,
  id: bigint,
  options?: Pick<CallOptions, 'signal'>,
): Promise<{ readonly plant: StoredPlant; readonly etag: string }> {
  const { body, headers } = ensureSuccess(await client.getPlant({ params: { id }, ...options }));
  return { plant: body, etag: etagOf(headers) };
}

/** What names a plant in a reply. A proxy that compresses makes it a weak one, by which the service would recognize nothing. */
export function etagOf(headers: Headers): string {
  return (headers.get('etag') ?? '').replace(/^W\//, '');
}
