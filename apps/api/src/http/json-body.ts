import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { JsonShape } from '@plant-store/contract/exact-json/parse';
import {
  bodyTooLarge,
  malformedJson,
  parseJsonText,
  requireJson,
  type ServiceError,
} from '@plant-store/records';
import type { RequestHandler, Response } from 'express';
import { overloadErrors } from '../errors/service-error.js';
import type { Turns } from '../runtime/turns.js';
import type { CallerMemory } from './caller-memory.js';
import { callerOf } from './middleware/bearer-auth.js';

/** Parsing this many bytes takes as long as handling a request otherwise does. */
const bytesPerRequest = 4_096;

/** Reads the body as JSON in UTF-8 (RFC 8259), every integer exact, up to a limit in bytes. Comes after authentication. */
export function jsonBody(
  shape: JsonShape,
  limitBytes: number,
  memory: CallerMemory,
  turns: Turns,
): RequestHandler {
  return function jsonBody(request, response, next) {
    const { 'content-type': type, 'content-encoding': coding } = request.headers;
    if (type !== 'application/json' || coding !== undefined) requireJson(type, coding);

    function parse(bytes: Buffer): void {
      if (response.closed) return;
      try {
        request.body = parseJsonBytes(bytes, shape);
      } catch (error) {
        next(error instanceof SyntaxError ? malformedJson(error) : error);
        return;
      }
      next();
    }

    function onBody(bytes: Buffer): void {
      const cost = bytes.length / bytesPerRequest;
      if (cost < 1) {
        parse(bytes);
        return;
      }
      const endWork = memory.beginWork(response);
      turns.schedule(callerOf(response.locals), cost, () => {
        endWork();
        parse(bytes);
      });
    }

    readBody(request, response, { limitBytes, memory, turns }, onBody, next);
  };
}

/**
 * Parses JSON in UTF-8 (RFC 8259), every integer exact.
 *
 * @throws {SyntaxError} with a short message, which may quote the text, and so contain any character
 */
export function parseJsonBytes(bytes: Buffer, shape: JsonShape): unknown {
  if (!isUtf8(bytes)) throw new SyntaxError('it is not in UTF-8');
  return parseJsonText(bytes.toString('utf8'), shape);
}

/** Gets each chunk of a body as it arrives, and `null` at the end. Returns whether to keep reading. */
export type BodyReceiver = (chunk: Buffer | null) => boolean;

/** A request that can pass on its body without a stream's buffer and events. */
export interface BodySource {
  /**
   * Passes the body to a receiver, beginning immediately with the part that has arrived. Returns `false` if something else reads the body.
   */
  takeBody?(receive: BodyReceiver): boolean;
  /** Resumes reading after a receiver returned `false`. */
  readOn?(): void;
}

/**
 * Reads the complete body of a request, and keeps nothing of a rejected one. Neither callback is called when the client disconnects before
 * the end. Uses callbacks because a promise would cost each request.
 *
 * @param onBody called with the complete body, in the turn of the event loop in which its end arrives
 * @param onError called instead with `body_too_large` beyond the limit, or `overloaded` when there is no memory for it;
 * the rest of the body is discarded
 */
function readBody(
  request: IncomingMessage & BodySource,
  response: Response,
  {
    limitBytes,
    memory,
    turns,
  }: { readonly limitBytes: number; readonly memory: CallerMemory; readonly turns: Turns },
  onBody: (body: Buffer) => void,
  onError: (error: ServiceError) => void,
): void {
  // Memory taken after the response has closed would never be released.
  if (response.closed) return;
  const announced = Number(request.headers['content-length'] ?? Number.NaN);
  if (announced > limitBytes) {
    onError(bodyTooLarge(limitBytes));
    return;
  }

  /** The bytes received so far, with free space behind them; `undefined` once the body is read or rejected. */
  let body: Buffer | undefined = empty;
  let size = 0;
  let taken = 0;

  const reject = (error: ServiceError) => {
    body = undefined;
    memory.release(response);
    onError(error);
  };

  /** Takes room for a total of this many bytes, or rejects the body. */
  const takeRoom = (bytes: number): boolean => {
    if (!memory.holdBody(response, bytes - taken)) {
      reject(overloadErrors.body_bytes);
      return false;
    }
    taken = bytes;
    return true;
  };

  const take = (chunk: Buffer | null) => {
    if (body === undefined) return;
    if (chunk === null) {
      const whole = body.length === size ? body : body.subarray(0, size);
      body = undefined;
      onBody(whole);
    } else if (size + chunk.length > limitBytes) {
      reject(bodyTooLarge(limitBytes));
    } else if (size === 0) {
      // Most bodies arrive in one chunk, and need no copy.
      if (!takeRoom(chunk.length)) return;
      body = chunk;
      size = chunk.length;
    } else {
      const needed = size + chunk.length;
      if (needed > body.length) {
        const room = Number.isNaN(announced)
          ? Math.min(Math.max(2 * body.length, needed, smallestRoom), limitBytes)
          : announced;
        if (!takeRoom(room)) return;
        const larger = Buffer.allocUnsafeSlow(room);
        body.copy(larger, 0, 0, size);
        body = larger;
      }
      chunk.copy(body, size);
      size = needed;
    }
  };
  /** Takes a chunk, and resumes reading when it is the caller's turn. */
  const receive = (chunk: Buffer | null) => {
    take(chunk);
    if (chunk === null || chunk.length < smallestPaced) return true;
    let goesOn: boolean | undefined;
    turns.schedule(callerOf(response.locals), chunk.length / bytesReadPerRequest, () => {
      if (goesOn === undefined) goesOn = true;
      else if (request.readOn === undefined) request.resume();
      else request.readOn();
    });
    goesOn ??= false;
    return goesOn;
  };
  if (request.takeBody?.(receive) !== true) {
    request.on('data', (chunk) => receive(chunk) || request.pause());
    request.on('end', () => receive(null));
  }
}

/**
 * The smallest chunk that counts toward the caller's turns, and the number of bytes that take as long to read as a request takes, in bytes.
 */
const smallestPaced = 16_384;
const bytesReadPerRequest = 16_384;

const empty = Buffer.alloc(0);

/** Minimum room for a body without a length once its second chunk arrives, in bytes: chunks may be as small as one byte. */
const smallestRoom = 4_096;

export function discardBody(request: IncomingMessage & BodySource): void {
  if (request.takeBody?.(() => true) !== true) request.resume();
}

/** Removes members from the shape of a body at every level, so that they are skipped like unknown members. */
export function withoutMembers({ members, items, ...shape }: JsonShape, names: readonly string[]): JsonShape {
  return {
    ...shape,
    ...(items && { items: withoutMembers(items, names) }),
    ...(members && {
      members: members
        .filter(({ name }) => !names.includes(name))
        .map((member) => ({ ...member, shape: withoutMembers(member.shape, names) })),
    }),
  };
}
