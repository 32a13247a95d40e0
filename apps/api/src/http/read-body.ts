import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../service-error.js';

/**
 * Reads a request's body whole, and stops keeping it as soon as it is past the limit.
 *
 * @throws {ServiceError} `body_too_large` past the limit; the rest is left for the server to discard
 * @throws {ServiceError} `bad_request` when the client went away before the end; nobody is there to read the reply
 */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) {
      reject(tooLarge(limitBytes));
      return;
    }
    if (request.destroyed) {
      reject(goneAway());
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;

    function settle(): void {
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
    }
    function onData(chunk: Buffer): void {
      size += chunk.length;
      if (size > limitBytes) {
        settle();
        request.resume();
        reject(tooLarge(limitBytes));
        return;
      }
      chunks.push(chunk);
    }
    function onEnd(): void {
      settle();
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    }
    function onGone(cause?: Error): void {
      settle();
      reject(goneAway(cause));
    }

    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}

function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError(
    'body_too_large',
    `The body is larger than ${limitBytes} bytes. Send a smaller one.`,
  );
}

function goneAway(cause?: Error): ServiceError {
  return new ServiceError('bad_request', 'The connection was closed before the body was complete.', {
    cause,
  });
}
