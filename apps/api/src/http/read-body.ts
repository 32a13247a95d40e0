import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../service-error.js';

/** Takes a body piece by piece as it arrives, and `null` at its end. */
export type BodyReceiver = (chunk: Buffer | null) => void;

/** A request that can hand out its body without the detour of a stream's buffer and events. */
export interface BodySource {
  /** Hands the body to a receiver, what has come of it at once, if nobody else reads it; otherwise it gives `false`. */
  takeBody?(receive: BodyReceiver): boolean;
}

/**
 * Reads a request's body whole, and keeps nothing of it once it is past the limit.
 *
 * @param onBody called once the body is there, in the turn that brings its end
 * @param onFault called instead past the limit, with `body_too_large`; the rest is read and discarded. Neither is called
 * when the client goes away before the end: nobody is there to read a reply
 */
export function readBody(
  request: IncomingMessage & BodySource,
  limitBytes: number,
  onBody: (body: Buffer) => void,
  onFault: (error: ServiceError) => void,
): void {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) {
    onFault(tooLarge(limitBytes));
    return;
  }

  let chunks: Buffer[] | undefined = [];
  let size = 0;
  const receive = (chunk: Buffer | null) => {
    if (chunks === undefined) return;
    if (chunk === null) {
      const body = join(chunks);
      chunks = undefined;
      onBody(body);
    } else if (size + chunk.length > limitBytes) {
      chunks = undefined;
      onFault(tooLarge(limitBytes));
    } else {
      size += chunk.length;
      chunks.push(chunk);
    }
  };
  if (request.takeBody?.(receive) !== true) {
    request.on('data', receive);
    request.on('end', () => receive(null));
  }
}

/** Lets the body of a request come and go unread. */
export function discardBody(request: IncomingMessage & BodySource): void {
  if (request.takeBody?.(() => undefined) !== true) request.resume();
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
