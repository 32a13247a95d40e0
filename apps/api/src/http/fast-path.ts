import { IncomingMessage, ServerResponse } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import type { Express, RequestHandler, Response } from 'express';
import type { CallerMemory } from './caller-memory.js';
import type { BodyReceiver } from './json-body.js';
import { securityHeaders } from './security-headers.js';

interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/**
 * Creates classes for `http.createServer` whose instances have the app's prototypes from the start.
 *
 * Express sets the prototype of every message with `Object.setPrototypeOf`, after which V8 accesses all its properties slowly
 * (expressjs/express issue 5998). If the prototype is already the right one, that call changes nothing. So the prototypes of these classes
 * become the app's, and inherit from its original ones.
 *
 * The classes use `class` syntax, because V8 then allocates the fields of Node.js's message in the object itself.
 */
export function messageClasses(app: Express): MessageClasses {
  class AppRequest extends IncomingMessage {
    bodyReceiver: BodyReceiver | undefined = undefined;

    takeBody(receive: BodyReceiver): boolean {
      if (this.readableFlowing !== null) return false;
      // Without a call of `read`, Node.js would discard the body. Node.js 26 returns one chunk at a time.
      let chunk: Buffer | null = this.read();
      while (chunk !== null) {
        receive(chunk);
        chunk = this.readableLength > 0 ? this.read() : null;
      }
      if (this.complete) receive(null);
      else this.bodyReceiver = receive;
      return true;
    }

    /** Node.js's parser calls this with each chunk, and with `null` at the end. After `false`, it stops until `_read` is called. */
    override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
      if (this.bodyReceiver === undefined) return super.push(chunk, encoding);
      return this.bodyReceiver(chunk);
    }

    continueReading(): void {
      this._read(0);
    }
  }
  class AppResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
    // Express would create an object without a prototype, whose properties V8 accesses slowly, too.
    locals = {
      accessToken: undefined,
      loggedId: undefined,
      replayed: undefined,
      entityTag: undefined,
      error: undefined,
    };
  }
  app.request = inheritFrom(app.request, AppRequest.prototype);
  app.response = inheritFrom(app.response, AppResponse.prototype);
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/** Makes the prototype of a class inherit from the app's original prototype, and returns it. */
function inheritFrom<Prototype extends object>(base: Prototype, prototype: object): Prototype {
  return Object.setPrototypeOf(prototype, base);
}

/** The serialized JSON of each body that several replies share. */
const sharedTexts = new WeakMap<object, Buffer | string>();

/** Serializes a body for many replies, as bytes that they share. */
export function shareBytes(body: object): void {
  sharedTexts.set(body, Buffer.from(JSON.stringify(body)));
}

/** Serializes a body for a few replies, as text, which is faster to send. */
export function shareText<Body extends object>(body: Body): Body {
  sharedTexts.set(body, JSON.stringify(body));
  return body;
}

/**
 * Replaces the app's `response.json` with a function that sends status, headers, and body in one write, without Express's ETag, freshness
 * check, and settings. All JSON replies go through it, including those of ts-rest and the error handler, and get the security headers and
 * the request ID. Headers that are already set stay, but make the reply slower, so the ETag is written with the others.
 */
export function sendJson(app: Express, memory: CallerMemory): void {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', ...securityHeaders };
  const commonHeaders = Object.entries(headers).flat();

  app.response.json = function json(this: Response, body: unknown) {
    const shared = typeof body === 'object' && body !== null ? sharedTexts.get(body) : undefined;
    const text = shared ?? JSON.stringify(body);
    const bytes = Buffer.byteLength(text);
    memory.holdReply(this, text, bytes);
    const headers = [...commonHeaders, 'X-Request-Id', this.req.id, 'Content-Length', String(bytes)];
    if (this.locals.entityTag !== undefined) headers.push('ETag', this.locals.entityTag);
    this.writeHead(this.statusCode, headers);
    // Most replies are ASCII, which is the same in Latin-1, and Latin-1 is faster to write.
    this.end(text, bytes === text.length ? 'latin1' : 'utf8');
    return this;
  };
}

/** Does the rest of `sendJson`'s work in an app in which Express writes the JSON replies. */
export function completeJson(memory: CallerMemory): RequestHandler {
  return function completeJson(_request, response, next) {
    const { json } = response;
    response.json = (body: unknown) => {
      const text = JSON.stringify(body);
      memory.holdReply(response, text, Buffer.byteLength(text));
      if (response.locals.entityTag !== undefined) response.setHeader('ETag', response.locals.entityTag);
      return json.call(response, body);
    };
    next();
  };
}

/**
 * Allocates every new object in the young generation. If many objects of one allocation site survive a collection, V8 allocates later ones
 * in the old generation (pretenuring). In about a third of all processes, V8 does so for a request's objects. They soon die, but they keep
 * the rest of the request alive until the next full collection. Full collections are then twenty times as frequent, and throughput is up to
 * 30 % lower for the lifetime of the process.
 */
export function allocateYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
