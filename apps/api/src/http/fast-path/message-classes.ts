import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import type { BodyReceiver } from '../body/read-body.js';
import type { NodeResponse } from './node-response.js';

interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/**
 * Creates classes for `http.createServer` whose instances have the app's prototypes from the start.
 *
 * Express sets the prototype of every message with `Object.setPrototypeOf`, after which V8 accesses all its properties
 * slowly (expressjs/express issue 5998). Where the prototype is the right one already, that call changes nothing. So the
 * prototypes of these classes become the app's, and inherit from those that it had.
 *
 * They are declared with `class`, since V8 then allocates the fields of Node's message in the object itself. And they
 * initialize the fields that Express, ts-rest and this app set later, so that each object keeps one shape, and all code that
 * reads it, that of Node.js too, is compiled for that shape alone.
 */
export function messageClasses(app: Express): MessageClasses {
  class AppRequest extends IncomingMessage {
    next = undefined;
    baseUrl = undefined;
    originalUrl = undefined;
    _parsedUrl = undefined;
    params = undefined;
    res = undefined;
    route = undefined;
    tsRestRoute = undefined;
    id = undefined;
    invalidTarget: boolean | undefined = undefined;
    body = undefined;
    bodyReceiver: BodyReceiver | undefined = undefined;

    takeBody(receive: BodyReceiver): boolean {
      if (this.readableFlowing !== null) return false;
      // Without a call of `read` Node.js would discard the body. Node.js 26 returns one chunk at a time.
      let chunk: Buffer | null = this.read();
      while (chunk !== null) {
        receive(chunk);
        chunk = this.readableLength > 0 ? this.read() : null;
      }
      if (this.complete) receive(null);
      else this.bodyReceiver = receive;
      return true;
    }

    /** Called by Node's parser with each chunk, and with `null` at the end. */
    override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
      if (this.bodyReceiver === undefined) return super.push(chunk, encoding);
      this.bodyReceiver(chunk);
      return true;
    }
  }
  class AppResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
    locals = { accessToken: undefined, plantId: undefined, error: undefined };

    /**
     * Appends a body that is one text to the head, so that both are one chunk. Node.js combines them too, but then
     * writes an empty chunk, and two chunks take longer than one.
     */
    override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
      if (typeof chunk === 'string' && encoding === undefined && isHeadPending(this) && isAscii(chunk)) {
        this._header += chunk;
        return super.end(callback as () => void);
      }
      return super.end(chunk, encoding as BufferEncoding, callback as () => void);
    }
  }
  app.request = inheritFrom(app.request, AppRequest.prototype);
  app.response = inheritFrom(app.response, AppResponse.prototype);
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/** Whether the head is written but not sent, and a body of a known length follows it. */
function isHeadPending(
  response: ServerResponse & NodeResponse,
): response is ServerResponse & { _header: string } {
  const { _header, _headerSent, _hasBody, chunkedEncoding, strictContentLength } = response;
  return (
    typeof _header === 'string' &&
    _headerSent === false &&
    _hasBody === true &&
    !chunkedEncoding &&
    !strictContentLength
  );
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

/** Makes the prototype of a class inherit from the prototype that the app had, and returns it. */
function inheritFrom<Prototype extends object>(base: Prototype, prototype: object): Prototype {
  return Object.setPrototypeOf(prototype, base);
}
