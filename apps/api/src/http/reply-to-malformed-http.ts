import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { ServiceError } from '../service-error.js';
import { errorBody } from './reply-with-error.js';

/** A request, what answers it, and the one before it on the same connection while that is not answered. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly before: Exchange | undefined;
}

/**
 * Answers what cannot be parsed as HTTP with `bad_request`, and closes the connection. Complete requests before it
 * on the same connection get their own replies first: their plants may be stored.
 */
export function replyToMalformedHttp(server: Server, log: Logger): void {
  const latest = new WeakMap<Duplex, Exchange>();
  server.on('request', (request, response) => {
    latest.set(request.socket, { request, response, before: unanswered(latest.get(request.socket)) });
  });

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    let last = unanswered(latest.get(socket));
    while (last !== undefined && !last.request.complete) last = last.before;
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (last !== undefined) last.response.once('finish', () => refuse(error, socket, log));
    else refuse(error, socket, log);
  });
}

function unanswered(exchange: Exchange | undefined): Exchange | undefined {
  return exchange?.response.writableFinished === false ? exchange : undefined;
}

function refuse({ code = 'unknown' }: NodeJS.ErrnoException, socket: Duplex, log: Logger): void {
  const fault = new ServiceError('bad_request', describe(code));
  const requestId = randomUUID();
  log.info({ requestId, status: fault.status, error: fault.number, code }, 'malformed HTTP');
  const body = JSON.stringify(errorBody(fault));
  socket.end(
    'HTTP/1.1 400 Bad Request\r\n' +
      'Connection: close\r\n' +
      `X-Request-Id: ${requestId}\r\n` +
      'Content-Type: application/json; charset=utf-8\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

function describe(code: string): string {
  if (code === 'HPE_HEADER_OVERFLOW') return 'The request is not valid HTTP: its headers are too large.';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The request took too long to arrive. Send it again.';
  return `The request is not valid HTTP (${code}).`;
}
