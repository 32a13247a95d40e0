import {
  createServer as createHttpServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { messageClasses } from '../fast-path/message-classes.js';
import { headerLinesLimit } from '../middleware/check-headers.js';
import { normalizeTarget } from '../middleware/request-target.js';
import { clientErrorHandler } from './client-error-handler.js';
import { connectHandler } from './connect-handler.js';
import { paceRequests } from './pace-requests.js';
import { trackExchanges } from './track-exchanges.js';

/** Time limits for clients, in milliseconds. */
export interface TimeLimits {
  /** For a whole request. */
  readonly requestMs: number;
  /** For the headers of a request. */
  readonly headersMs: number;
  /** How long an idle connection is kept. */
  readonly keepAliveMs: number;
  /** How often requests are checked against these limits. */
  readonly checkIntervalMs: number;
}

const defaultTimeLimits: TimeLimits = {
  requestMs: 60_000,
  headersMs: 20_000,
  // Longer than the 60 seconds of most load balancers.
  keepAliveMs: 65_000,
  checkIntervalMs: 1_000,
};

/** How a server differs from the default one. */
export interface ServerOptions {
  readonly limits?: TimeLimits;
  /** Whether messages are of classes made for the app; see decision 20. */
  readonly fastPath?: boolean;
}

/** Creates an HTTP server for the app, not listening yet. Requests that are not valid HTTP get the Error body, too. */
export function createServer(
  app: Express,
  log: Logger,
  { limits = defaultTimeLimits, fastPath = true }: ServerOptions = {},
): Server {
  const classes = fastPath ? messageClasses(app) : { IncomingMessage, ServerResponse };
  const server = createHttpServer({
    ...classes,
    requestTimeout: limits.requestMs,
    headersTimeout: limits.headersMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    // The app checks it, so that a missing one is reported like any other error.
    requireHostHeader: false,
  });
  // A client that has closed its sending side may still wait for the reply (RFC 9112, section 9.6). Node.js has this property
  // since its beginnings, and no documentation of it; without it, replies that take longer than a turn are lost.
  Object.assign(server, { httpAllowHalfOpen: true });
  // One more than the app accepts, so that it can detect too many.
  server.maxHeadersCount = headerLinesLimit + 1;

  const exchanges = trackExchanges(server);
  const handle: RequestListener = (request, response) => {
    normalizeTarget(request);
    app(request, response);
  };
  server.on('request', paceRequests(handle));
  // An expectation other than 100-continue may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  connectHandler(server, exchanges, classes.ServerResponse, limits.keepAliveMs);
  clientErrorHandler(server, exchanges, log);
  return server;
}
