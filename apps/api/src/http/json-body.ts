import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type JsonShape, parseExactJson } from '@plant-store/contract/exact-json/parse';
import { messages } from '@plant-store/contract/messages';
import { ServiceError } from '@plant-store/records';
import { parse as parseContentType } from 'content-type';
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
    requireJson(request.headers);

    function parse(bytes: Buffer): void {
      if (response.closed) return;
      try {
        request.body = parseJsonBytes(bytes, shape);
      } catch (error) {
        next(error instanceof SyntaxError ? malformed(error) : error);
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

function requireJson(headers: IncomingHttpHeaders): void {
  const type = headers['content-type'];
  const coding = headers['content-encoding'];
  if (type !== 'application/json' && !isJsonInUtf8(type)) {
    throw unsupported(
      type === undefined ? messages.missingContentType : messages.unsupportedContentType(type),
    );
  }
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw unsupported(messages.unsupportedContentCoding(coding));
}

function malformed(cause: SyntaxError): ServiceError {
  return new ServiceError('malformed_json', messages.malformedJson(cause.message), { cause });
}

function unsupported(message: string): ServiceError {
  return new ServiceError('unsupported_content_type', message);
}

/** Whether it is `application/json`, case-insensitive, with any parameters but no other charset than UTF-8. */
function isJsonInUtf8(header = ''): boolean {
  const { type, parameters } = parseContentType(header);
  const charset = parameters['charset'] ?? 'utf-8';
  return type.toLowerCase() === 'application/json' && charset.toLowerCase() === 'utf-8';
}

/** The longest message about a text, which may quote from it, in UTF-16 code units. */
const maxMessageLength = 200;

/**
 * Parses JSON in UTF-8 (RFC 8259), every integer exact.
 *
 * @param shape what of it is read
 * @throws {SyntaxError} with a short message, such as `it is not in UTF-8`. It may quote the text, and so contain any
 * character.
 */
export function parseJsonBytes(bytes: Buffer, shape: JsonShape): unknown {
  if (bytes.length === 0) throw new SyntaxError('it is empty');
  if (!isUtf8(bytes)) throw new SyntaxError('it is not in UTF-8');
  const text = bytes.toString('utf8');
  if (text.startsWith('\uFEFF')) throw new SyntaxError('it starts with a byte order mark');
  try {
    return parseExactJson(text, shape);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SyntaxError(error.message.slice(0, maxMessageLength).toWellFormed(), { cause: error });
  }
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
    onError(tooLarge(limitBytes));
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
      reject(tooLarge(limitBytes));
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

function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError('body_too_large', messages.bodyTooLarge(limitBytes));
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
