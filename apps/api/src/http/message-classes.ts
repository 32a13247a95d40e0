import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import type { Express } from 'express';

type MessageClasses = Required<Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>>;

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
    body = undefined;
  }
  class AppResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
    locals = { accessToken: undefined, plantId: undefined, error: undefined };
  }
  app.request = inFrontOf(app.request, AppRequest.prototype);
  app.response = inFrontOf(app.response, AppResponse.prototype);
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/** The prototype of a class, made to inherit from what the app had as prototype. */
function inFrontOf<Prototype extends object>(base: Prototype, prototype: object): Prototype {
  return Object.setPrototypeOf(prototype, base);
}
