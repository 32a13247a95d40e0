import type { IncomingMessage, ServerResponse } from 'node:http';
import { overloadErrors } from '../../errors/overload-errors.js';
import { ServiceError } from '../../errors/service-error.js';
import type { BodyBudget } from './body-budget.js';

/** Takes a body piece by piece as it arrives, and `null` at its end. */
export type BodyReceiver = (chunk: Buffer | null) => void;

/** A request that can hand out its body without the detour of a stream's buffer and events. */
export interface BodySource {
  /** Hands the body to a receiver, what has come of it at once, if nobody else reads it; otherwise it gives `false`. */
  takeBody?(receive: BodyReceiver): boolean;
}

/** How a body is to be read. */
export interface BodyReading {
  /** The largest body that is read, in bytes. */
  readonly limitBytes: number;
  /** Where a body that does not come in one piece takes the room that it needs. */
  readonly budget: BodyBudget;
  /** Whose body it is: the id of the access token. */
  readonly holder: number;
  /** Called once the body is there, in the turn that brings its end. */
  onBody(body: Buffer): void;
  /**
   * Called instead with `body_too_large` past the limit, or `overloaded` when the budget has no room; the rest is read
   * and discarded.
   */
  onError(error: ServiceError): void;
}

/**
 * Reads a request's body whole, and keeps nothing of it once it is refused. Neither function is called when the client
 * goes away before the end: nobody is there to read a reply.
 */
export function readBody(
  request: IncomingMessage & BodySource,
  response: ServerResponse,
  { limitBytes, budget, holder, onBody, onError }: BodyReading,
): void {
  const announced = Number(request.headers['content-length'] ?? Number.NaN);
  if (announced > limitBytes) {
    onError(tooLarge(limitBytes));
    return;
  }

  /** What has come, with room behind it; `undefined` once the body is read or refused. */
  let body: Buffer | undefined = empty;
  let size = 0;
  let taken = 0;

  const release = () => {
    body = undefined;
    if (taken === 0) return;
    budget.release(holder, taken);
    taken = 0;
    response.off('close', release);
    request.off('close', release);
  };

  /** Takes room for so many bytes in all, or refuses the body. */
  const takeRoom = (bytes: number): boolean => {
    if (bytes <= taken) return true;
    if (!budget.take(holder, bytes - taken)) {
      release();
      onError(overloadErrors.body_bytes);
      return false;
    }
    if (taken === 0) {
      response.once('close', release);
      request.once('close', release);
    }
    taken = bytes;
    return true;
  };

  const receive = (chunk: Buffer | null) => {
    if (body === undefined) return;
    if (chunk === null) {
      const whole = body.length === size ? body : body.subarray(0, size);
      release();
      onBody(whole);
    } else if (size + chunk.length > limitBytes) {
      release();
      onError(tooLarge(limitBytes));
    } else if (size === 0) {
      // Most bodies come in one piece, which needs no copy and takes no room: it is gone at once.
      if (chunk.length !== announced && !takeRoom(chunk.length)) return;
      body = chunk;
      size = chunk.length;
    } else {
      const needed = size + chunk.length;
      if (needed > body.length) {
        const room = Math.min(Math.max(2 * body.length, needed, smallestRoom), limitBytes);
        if (!takeRoom(room)) return;
        const larger = Buffer.allocUnsafeSlow(room);
        body.copy(larger, 0, 0, size);
        body = larger;
      }
      chunk.copy(body, size);
      size = needed;
    }
  };
  if (request.takeBody?.(receive) !== true) {
    request.on('data', receive);
    request.on('end', () => receive(null));
  }
}

const empty = Buffer.alloc(0);

/** How much room the second piece of a body takes at least, in bytes: the pieces themselves may be of one byte. */
const smallestRoom = 1_024;

/** Lets the body of a request come and go unread. */
export function discardBody(request: IncomingMessage & BodySource): void {
  if (request.takeBody?.(() => undefined) !== true) request.resume();
}

function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError(
    'body_too_large',
    `The body is larger than ${limitBytes} bytes. Send a smaller one.`,
  );
}
