import { createServer as createHttpServer, type Server } from 'node:http';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { messageClasses } from './message-classes.js';
import { replyToMalformedHttp } from './reply-to-malformed-http.js';

/** How long a client may take to send a whole request, and its headers, in milliseconds. */
const requestTimeoutMs = 60_000;
const headersTimeoutMs = 20_000;

/** How long an idle connection is kept, in milliseconds: longer than the 60 seconds of most load balancers. */
const keepAliveTimeoutMs = 65_000;

/** An HTTP server for the app, not listening yet. What is not valid HTTP gets the Error body too. */
export function createServer(app: Express, log: Logger): Server {
  const server = createHttpServer(
    {
      ...messageClasses(app),
      requestTimeout: requestTimeoutMs,
      headersTimeout: headersTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      // The app asks for it, so that its absence is answered like any other fault.
      requireHostHeader: false,
    },
    app,
  );
  // An expectation other than 100-continue may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', app);
  replyToMalformedHttp(server, log);
  return server;
}
