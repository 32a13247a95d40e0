import { createClient } from '@plant-store/client';
import { isRejectedError, unwrap } from '@plant-store/client/unwrap';
import { explainRejection } from '../shared/explain-failure.js';
import { serviceUrl } from '../shared/plant-store.js';

/**
 * Asks the service whether it accepts a token, by the cheapest request that needs one.
 *
 * @returns why it does not; `undefined` where it does, also one that permits no reading, and where no reply shows it
 */
export async function checkToken(token: string, signal: AbortSignal): Promise<string | undefined> {
  const client = createClient({ baseUrl: serviceUrl, token, retries: 0 });
  try {
    await unwrap(client.listPlants({ query: { limit: 1 }, signal }));
  } catch (error) {
    const failure = isRejectedError(error) ? explainRejection(error) : undefined;
    if (failure?.about === 'token') return failure.message;
  }
  return undefined;
}
