import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import type { BodyReceiver } from '../body/read-body.js';
import type { NodeResponse } from './node-response.js';

interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/**
 * Classes for `http.createServer` whose instances are born as the app's requests and responses.
 *
 * Express gives every message its own prototype with `Object.setPrototypeOf`, which takes V8's fast property access
 * away from it for good (expressjs/express issue 5998). Where the prototype is the right one already, that call
 * changes nothing. So the prototypes of these classes become the app's, in front of those that it had.
 *
 * They are declared as classes, since V8 then makes room for the fields of Node's message in the object itself. And
 * they are born with the fields that Express, ts-rest and this app fill in later, so that the object keeps one shape for
 * life: the code that reads it is then compiled for that shape alone, Node's own code too.
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
      // Reading, if only nothing, keeps Node from throwing the body away. Node.js 26 gives a piece at a time.
      let come: Buffer | null = this.read();
      while (come !== null) {
        receive(come);
        come = this.readableLength > 0 ? this.read() : null;
      }
      if (this.complete) receive(null);
      else this.bodyReceiver = receive;
      return true;
    }

    /** Here Node's parser puts each piece as it finds it, and `null` at the end. */
    override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
      if (this.bodyReceiver === undefined) return super.push(chunk, encoding);
      this.bodyReceiver(chunk);
      return true;
    }
  }
  class AppResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
    locals = { accessToken: undefined, plantId: undefined, error: undefined };

    /**
     * Puts a body that is one text behind the head that waits for it. Node does so too, but ends with a text of no
     * length, and a list of two takes longer to write than one.
     */
    override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
      if (typeof chunk === 'string' && encoding === undefined && waitsForBody(this) && isAscii(chunk)) {
        this._header += chunk;
        return super.end(callback as () => void);
      }
      return super.end(chunk, encoding as BufferEncoding, callback as () => void);
    }
  }
  app.request = inFrontOf(app.request, AppRequest.prototype);
  app.response = inFrontOf(app.response, AppResponse.prototype);
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/** Whether the head is written, not sent, and followed by a body of the length that it names. */
function waitsForBody(
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

/** The prototype of a class, made to inherit from what the app had as prototype. */
function inFrontOf<Prototype extends object>(base: Prototype, prototype: object): Prototype {
  return Object.setPrototypeOf(prototype, base);
}
