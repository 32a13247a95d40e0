import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { trackExchanges } from './connection-exchanges.js';
import { headerLinesLimit } from './limit-header-lines.js';
import { messageClasses } from './message-classes.js';
import { paceRequests } from './pace-requests.js';
import { replyToConnect } from './reply-to-connect.js';
import { replyToMalformedHttp } from './reply-to-malformed-http.js';
import { normalizeTarget } from './request-target.js';

/** How long clients may take, in milliseconds. */
export interface TimeLimits {
  /** For a whole request. */
  readonly requestMs: number;
  /** For the headers of a request. */
  readonly headersMs: number;
  /** How long an idle connection is kept. */
  readonly keepAliveMs: number;
  /** How often requests are looked for that take longer. */
  readonly checkIntervalMs: number;
}

const defaultTimeLimits: TimeLimits = {
  requestMs: 60_000,
  headersMs: 20_000,
  // Longer than the 60 seconds of most load balancers.
  keepAliveMs: 65_000,
  checkIntervalMs: 1_000,
};

/** An HTTP server for the app, not listening yet. What is not valid HTTP gets the Error body too. */
export function createServer(app: Express, log: Logger, limits: TimeLimits = defaultTimeLimits): Server {
  const classes = messageClasses(app);
  const server = createHttpServer({
    ...classes,
    requestTimeout: limits.requestMs,
    headersTimeout: limits.headersMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    // The app asks for it, so that its absence is answered like any other fault.
    requireHostHeader: false,
  });
  // One more than the app takes, so that it sees when there are too many.
  server.maxHeadersCount = headerLinesLimit + 1;

  const exchanges = trackExchanges(server);
  const handle: RequestListener = (request, response) => {
    normalizeTarget(request);
    app(request, response);
  };
  server.on('request', paceRequests(handle));
  // An expectation other than 100-continue may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  replyToConnect(server, exchanges, classes.ServerResponse, limits.keepAliveMs);
  replyToMalformedHttp(server, exchanges, log);
  return server;
}
