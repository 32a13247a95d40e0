import { type Client, isRejectedError, unwrap } from '@plant-store/client';
import { explainRejection } from './explain-failure.js';

/** Asks the service why it does not accept the token of a client; `undefined` if it does, or if no reply shows it. */
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
