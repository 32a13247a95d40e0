import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { ServiceError } from '../service-error.js';
import { errorBody } from './reply-with-error.js';

/** A request and what answers it. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Answers what cannot be parsed as HTTP with `bad_request`, and closes the connection. Complete requests before it
 * on the same connection get their own replies first: their plants may be stored.
 */
export function replyToMalformedHttp(server: Server, log: Logger): void {
  const running = new WeakMap<Duplex, Set<Exchange>>();
  server.on('request', (request, response) => {
    const exchange = { request, response };
    const exchanges = running.get(request.socket) ?? new Set();
    running.set(request.socket, exchanges.add(exchange));
    response.once('close', () => exchanges.delete(exchange));
  });

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const last = [...(running.get(socket) ?? [])].findLast(({ request }) => request.complete);
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (last !== undefined) last.response.once('finish', () => refuse(error, socket, log));
    else refuse(error, socket, log);
  });
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
