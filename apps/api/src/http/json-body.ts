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

/** Parsing this many bytes takes as long as the rest of a request. */
const bytesParsedPerRequest = 4_096;
/** Reading this many bytes takes as long as the rest of a request. */
const bytesReadPerRequest = 16_384;

/** The smallest chunk that counts toward the caller's turns, in bytes. */
const smallestPacedBytes = 16_384;

/** The minimum buffer size for a body of unknown length, in bytes, because chunks can be as small as one byte. */
const minBufferBytes = 4_096;

const empty = Buffer.alloc(0);

/** Reads the body as UTF-8 JSON (RFC 8259) with exact integers, up to a limit in bytes. Must run after authentication. */
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
      const cost = bytes.length / bytesParsedPerRequest;
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
 * Parses UTF-8 JSON (RFC 8259) with exact integers.
 *
 * @throws {SyntaxError} with a short message, which can quote the text, and so can contain any character
 */
export function parseJsonBytes(bytes: Buffer, shape: JsonShape): unknown {
  if (!isUtf8(bytes)) throw new SyntaxError('it is not in UTF-8');
  return parseJsonText(bytes.toString('utf8'), shape);
}

/** Receives each chunk of a body as it arrives, and `null` at the end. Returns whether to keep reading. */
export type BodyReceiver = (chunk: Buffer | null) => boolean;

/** A request that can pass on its body without a stream's buffer and events. */
export interface BodySource {
  /**
   * Passes the body to a receiver, starting immediately with the part that has arrived. Returns `false` if something else reads the body.
   */
  takeBody?(receive: BodyReceiver): boolean;
  /** Resumes reading after a receiver returned `false`. */
  continueReading?(): void;
}

/**
 * Reads a request's complete body. Keeps no part of a rejected body. Calls neither callback if the client disconnects before the end. Uses
 * callbacks, because a promise would slow down each request.
 *
 * @param onBody called with the complete body, in the turn of the event loop in which its end arrives
 * @param onError called instead with `body_too_large` if the body exceeds the limit, or `overloaded` if there is no memory for it. The rest
 * of the body is discarded
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
  const contentLength = Number(request.headers['content-length'] ?? Number.NaN);
  if (contentLength > limitBytes) {
    onError(bodyTooLarge(limitBytes));
    return;
  }

  /** The bytes received so far, with free space after them; `undefined` once the body is read or rejected. */
  let body: Buffer | undefined = empty;
  let size = 0;

  function reject(error: ServiceError): void {
    body = undefined;
    memory.release(response);
    onError(error);
  }

  function append(earlier: Buffer, chunk: Buffer): void {
    const needed = size + chunk.length;
    let buffer = earlier;
    if (needed > earlier.length) {
      const capacity = Number.isNaN(contentLength)
        ? Math.min(Math.max(2 * earlier.length, needed, minBufferBytes), limitBytes)
        : contentLength;
      if (!memory.holdBody(response, capacity - earlier.length)) {
        reject(overloadErrors.body_bytes);
        return;
      }
      buffer = Buffer.allocUnsafeSlow(capacity);
      earlier.copy(buffer, 0, 0, size);
    }
    chunk.copy(buffer, size);
    body = buffer;
    size = needed;
  }

  /** Takes a chunk, and resumes reading when it is the caller's turn. */
  function receive(chunk: Buffer | null): boolean {
    if (chunk === null) {
      const received = body;
      body = undefined;
      if (received !== undefined) onBody(received.length === size ? received : received.subarray(0, size));
      return true;
    }
    if (body !== undefined) {
      if (size + chunk.length > limitBytes) reject(bodyTooLarge(limitBytes));
      else if (size > 0) append(body, chunk);
      else if (memory.holdBody(response, chunk.length)) {
        // Most bodies arrive in one chunk, and need no copy.
        body = chunk;
        size = chunk.length;
      } else reject(overloadErrors.body_bytes);
    }
    if (chunk.length < smallestPacedBytes) return true;
    let continues: boolean | undefined;
    turns.schedule(callerOf(response.locals), chunk.length / bytesReadPerRequest, () => {
      if (continues === undefined) continues = true;
      else if (request.continueReading === undefined) request.resume();
      else request.continueReading();
    });
    continues ??= false;
    return continues;
  }

  if (request.takeBody?.(receive) !== true) {
    request.on('data', (chunk) => receive(chunk) || request.pause());
    request.on('end', () => receive(null));
  }
}

export function discardBody(request: IncomingMessage & BodySource): void {
  if (request.takeBody?.(() => true) !== true) request.resume();
}

/** Removes members from a body's shape at every level, so that the parser skips them like unknown members. */
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
