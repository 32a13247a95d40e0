import { IncomingMessage, type ServerOptions, ServerResponse } from 'node:http';
import type { Express } from 'express';

type MessageClasses = Required<Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>>;

/**
 * Classes for `http.createServer` whose instances are born as the app's requests and responses.
 *
 * Express gives every message its own prototype with `Object.setPrototypeOf`, which takes V8's fast property access
 * away from it for good (expressjs/express issue 5998). Where the prototype is the right one already, that call
 * changes nothing.
 */
export function messageClasses(app: Express): MessageClasses {
  return {
    IncomingMessage: bornAs(IncomingMessage, app.request),
    ServerResponse: bornAs(ServerResponse, app.response),
  };
}

/** A class that builds what `Base` builds, with another prototype. */
function bornAs<Base extends typeof IncomingMessage | typeof ServerResponse>(
  Base: Base,
  prototype: object,
): Base {
  function Derived(this: object, ...args: unknown[]): void {
    // Node's message classes are functions that may be applied to an object, as its own `inherits` does.
    Reflect.apply(Base, this, args);
  }
  Derived.prototype = prototype;
  return Derived as unknown as Base;
}
