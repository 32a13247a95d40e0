// Run by every runtime, and bundled by every bundler.
import { createClient, isNetworkError } from '@plant-store/client';

/**
 * Creates a plant with the largest id, and calls an address where nothing listens. Returns the status of the first call and
 * what is known of the second: `not_sent` or `unknown`.
 */
export async function callService({ baseUrl, token }) {
  const plant = { id: 9223372036854775807n, name: 'Rose' };
  const { status } = await createClient({ baseUrl, token }).createPlant({ body: plant });
  const refused = await createClient({ baseUrl: 'http://127.0.0.1:65535', token, retries: 0 })
    .createPlant({ body: plant })
    .catch((error) => error);
  if (!isNetworkError(refused)) throw refused;
  return { status, refused: refused.outcome };
}
