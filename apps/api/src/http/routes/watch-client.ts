import type { Request, Response } from 'express';
import type { TokenVerifier } from '../../auth/token-service.js';
import { watchToken } from '../middleware/bearer-auth.js';

/**
 * Watches the client of a waiting request.
 *
 * @returns a signal, and a function that stops watching. The signal is aborted once the client closes or resets its connection, or closes
 * its sending side. Once the token is no longer valid, the signal is aborted with the error for the reply
 */
export function watchClient(
  request: Pick<Request, 'socket' | 'headers'>,
  response: Response,
  accessTokens: TokenVerifier,
): { readonly gone: AbortSignal; readonly stop: () => void } {
  const { socket } = request;
  const controller = new AbortController();
  const onDisconnect = () => controller.abort();
  response.once('close', onDisconnect);
  socket.once('end', onDisconnect);
  if (socket.readableEnded) onDisconnect();
  const unwatchToken = watchToken(accessTokens, request, response.locals, (error) => controller.abort(error));
  const stop = () => {
    socket.off('end', onDisconnect);
    unwatchToken();
  };
  return { gone: controller.signal, stop };
}
