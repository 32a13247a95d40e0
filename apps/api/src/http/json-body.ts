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

/** Of how many bytes a body takes as long to parse as a request takes otherwise. */
const bytesPerRequest = 4_096;

/**
 * Reads the body as JSON in UTF-8 (RFC 8259), every integer exact, up to a limit in bytes. Comes after authentication.
 *
 * @param shape what of the body is read
 * @param memory where each body is counted, and what is parsed of it, until the reply
 * @param turns where large bodies are parsed
 */
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
 * @param shape what of it is read
 * @throws {SyntaxError} with a short message, such as `it is not in UTF-8`. It may quote the text, and so contain any
 * character.
 */
export function parseJsonBytes(bytes: Buffer, shape: JsonShape): unknown {
  if (!isUtf8(bytes)) throw new SyntaxError('it is not in UTF-8');
  return parseJsonText(bytes.toString('utf8'), shape);
}

/** Gets each chunk of a body as it arrives, and `null` at the end. Returns whether the next one is to be read already. */
export type BodyReceiver = (chunk: Buffer | null) => boolean;

/** A request that can pass on its body without a stream's buffer and events. */
export interface BodySource {
  /** Passes the body to a receiver, what has arrived immediately; returns `false` when something else reads the body. */
  takeBody?(receive: BodyReceiver): boolean;
  /** Reads on after a receiver has returned that it should not. */
  readOn?(): void;
}

/**
 * Reads the complete body of a request, and keeps nothing of one that is rejected. Neither callback is called when the
 * client disconnects before the end; they are callbacks, since a promise would cost each request.
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
  // What is held after the end of a response would never be returned.
  if (response.closed) return;
  const announced = Number(request.headers['content-length'] ?? Number.NaN);
  if (announced > limitBytes) {
    onError(bodyTooLarge(limitBytes));
    return;
  }

  /** What has arrived, with free space behind it; `undefined` once the body is read or rejected. */
  let body: Buffer | undefined = empty;
  let size = 0;
  let taken = 0;

  const reject = (error: ServiceError) => {
    body = undefined;
    memory.release(response);
    onError(error);
  };

  /** Takes room for this many bytes in total, or rejects the body. */
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
  /** Takes a chunk, and reads on once it is the caller's turn. */
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

/** From how many bytes on a chunk counts in its turn, and how many of them take as long to read as a request takes. */
const smallestPaced = 16_384;
const bytesReadPerRequest = 16_384;

const empty = Buffer.alloc(0);

/** The least room that the second chunk of a body without a length takes, in bytes: chunks may have one byte. */
const smallestRoom = 4_096;

/** Discards the body of a request. */
export function discardBody(request: IncomingMessage & BodySource): void {
  if (request.takeBody?.(() => true) !== true) request.resume();
}

/** The shape of a body of which these members are not read, as those that nobody knows, wherever they are. */
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
