import { randomUUID } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { ServiceError } from '../../errors/service-error.js';
import { securityHeaders } from '../security-headers.js';
import type { ConnectionExchanges } from './track-exchanges.js';

/** How long a connection is kept for its client to read the last reply, in milliseconds. */
const lingerMs = 1_000;

/**
 * Replies `bad_request` to what cannot be parsed as HTTP, and closes the connection. Complete requests before it on the
 * same connection get their own replies first: their plants may be stored. A request whose body turns out malformed after
 * its reply was sent gets no second reply, and a connection on which nothing was received gets none.
 */
export function clientErrorHandler(server: Server, exchanges: ConnectionExchanges, log: Logger): void {
  const commonLines = Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  const closing = new WeakSet<Duplex>();

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || hasSentNothing(socket)) socket.destroy();
    // Whatever follows a malformed request cannot be parsed either.
    if (closing.has(socket)) return;
    closing.add(socket);
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const latest = exchanges.latest(socket);
    const own = latest?.request.complete === false ? latest.response : undefined;
    const before = exchanges.unanswered(socket).findLast(({ response }) => response !== own);
    whenFinished(before?.response, () => {
      // Node.js closes the connection.
      if (before !== undefined && isLast(before.response)) return;
      if (own?.writableEnded) whenFinished(own, () => close(socket));
      else close(socket, formatReply(error, commonLines.join(''), log));
    });
  });
}

function hasSentNothing(socket: Duplex): boolean {
  return 'bytesRead' in socket && socket.bytesRead === 0;
}

/** Whether a response is the last one of its connection, by its request or by its own header. */
function isLast(response: ServerResponse): boolean {
  return !response.shouldKeepAlive || /close/i.test(String(response.getHeader('Connection')));
}

function whenFinished(response: ServerResponse | undefined, proceed: () => void): void {
  if (response === undefined || response.writableFinished) proceed();
  // Before Node.js, which then ends the connection if the client has closed its sending side.
  else response.prependOnceListener('finish', proceed);
}

/** Ends a connection so that its client can still read what was sent; what the client sends meanwhile is discarded. */
function close(socket: Duplex, lastReply = ''): void {
  socket.end(lastReply);
  const linger = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(linger));
}

/** Formats the reply, head and body, and logs it. */
function formatReply({ code = 'unknown' }: NodeJS.ErrnoException, commonLines: string, log: Logger): string {
  const error = new ServiceError('bad_request', describe(code));
  const requestId = randomUUID();
  log.info({ requestId, status: error.status, error: error.number, code }, 'malformed HTTP');
  const body = JSON.stringify(error.body);
  return `HTTP/1.1 400 Bad Request\r\n\
Connection: close\r\n\
Date: ${new Date().toUTCString()}\r\n\
Content-Type: application/json; charset=utf-8\r\n\
${commonLines}\
X-Request-Id: ${requestId}\r\n\
Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function describe(code: string): string {
  if (code === 'HPE_HEADER_OVERFLOW')
    return 'The request is not valid HTTP: its headers are too large, or too many.';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The request took too long to arrive. Send it again.';
  return `The request is not valid HTTP (${code}).`;
}
