import { type Client, isRejectedError, unwrap } from '@plant-store/client';
import { explainRejection } from './explain-failure.js';

/** Returns why the service rejects the token of a client, or `undefined` if it accepts the token or does not reply. */
export async function checkToken(
  client: Pick<Client, 'getOwnToken'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    await unwrap(client.getOwnToken({ signal, retries: 0 }));
  } catch (error) {
    const failure = isRejectedError(error) ? explainRejection(error) : undefined;
    if (failure?.about === 'token') return failure.message;
  }
  return undefined;
}
