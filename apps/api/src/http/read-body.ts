import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../service-error.js';

/** Takes a body piece by piece as it arrives, and `null` at its end. */
export type BodyReceiver = (chunk: Buffer | null) => void;

/** A request that can hand out its body without the detour of a stream's buffer and events. */
interface BodySource {
  /** Hands the body to a receiver if nothing of it has come yet and nobody else reads it; otherwise it gives `false`. */
  takeBody?(receive: BodyReceiver): boolean;
}

/**
 * Reads a request's body whole, and keeps nothing of it once it is past the limit.
 *
 * @throws {ServiceError} `body_too_large` past the limit; the rest is read and discarded
 * @throws {ServiceError} `bad_request` when the client went away before the end; nobody is there to read the reply
 */
export function readBody(request: IncomingMessage & BodySource, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) return reject(tooLarge(limitBytes));
    if (request.destroyed) return reject(goneAway());

    let chunks: Buffer[] = [];
    let size = 0;
    const receive = (chunk: Buffer | null) => {
      if (chunk === null) return resolve(join(chunks));
      size += chunk.length;
      if (size <= limitBytes) chunks.push(chunk);
      else {
        chunks = [];
        reject(tooLarge(limitBytes));
      }
    };
    if (request.takeBody?.(receive) !== true) {
      request.on('data', receive);
      request.on('end', () => receive(null));
    }
    request.on('close', () => {
      if (!request.complete) reject(goneAway());
    });
  });
}

/** Most bodies come in one piece, which needs no copy. */
function join(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}

function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError(
    'body_too_large',
    `The body is larger than ${limitBytes} bytes. Send a smaller one.`,
  );
}

function goneAway(): ServiceError {
  return new ServiceError('bad_request', 'The connection was closed before the body was complete.');
}
