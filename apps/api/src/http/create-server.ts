import { createServer as createHttpServer, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import { ServiceError } from '../service-error.js';
import { errorBody } from './reply-with-error.js';

/** How long a client may take to send a whole request, and its headers, in milliseconds. */
const requestTimeoutMs = 60_000;
const headersTimeoutMs = 20_000;

/** How long an idle connection is kept, in milliseconds: longer than the 60 seconds of most load balancers. */
const keepAliveTimeoutMs = 65_000;

/** An HTTP server for the app, not listening yet. What is not valid HTTP gets the Error body too. */
export function createServer(app: Express): Server {
  const server = createHttpServer(
    {
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
  server.on('clientError', replyToClientError);
  return server;
}

function replyToClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(errorBody(new ServiceError('bad_request', describe(error.code))));
  socket.end(
    'HTTP/1.1 400 Bad Request\r\n' +
      'Connection: close\r\n' +
      'Content-Type: application/json; charset=utf-8\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function describe(code = 'unknown'): string {
  if (code === 'HPE_HEADER_OVERFLOW') return 'The request is not valid HTTP: its headers are too large.';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The request took too long to arrive. Send it again.';
  return `The request is not valid HTTP (${code}).`;
}
