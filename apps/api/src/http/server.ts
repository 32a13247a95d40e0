import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { readBearer, ServiceError } from '@plant-store/records';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { ActiveCallers } from '../runtime/callers.js';
import { createTurns, type Turns } from '../runtime/turns.js';
import { createExchanges, type Exchanges } from './exchanges.js';
import { messageClasses } from './fast-path.js';
import { type Linger, lingerOnClose } from './linger.js';
import { trackConnections } from './listen.js';
import { headerLinesLimit, normalizeTarget } from './middleware/request-head.js';
import { securityHeaders } from './security-headers.js';

/** Time limits for clients, in milliseconds. */
const defaultTimeLimits = {
  /** For a whole request. */
  requestMs: 60_000,
  /** For the headers of a request. */
  headersMs: 20_000,
  /** How long an idle connection is kept: longer than the 60 seconds of most load balancers. */
  keepAliveMs: 65_000,
  /** How long a connection is kept if its reply is not read. */
  stalledMs: 10_000,
  /** How often requests are checked against these limits. */
  checkIntervalMs: 1_000,
};
type TimeLimits = Readonly<typeof defaultTimeLimits>;

interface ServerOptions {
  readonly turns?: Turns;
  readonly limits?: TimeLimits;
  /** Whether to use message classes created for the app; see decision 10. */
  readonly fastPath?: boolean;
}

/** Creates an HTTP server for the app, not listening yet. Requests that are not valid HTTP get the Error body, too. */
export function createServer(
  app: Express,
  log: Logger,
  {
    turns = createTurns(new ActiveCallers()),
    limits = defaultTimeLimits,
    fastPath = true,
  }: ServerOptions = {},
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
  // A client that has closed its sending side may still wait for the reply (RFC 9112, section 9.6). Node.js has always had this property,
  // but does not document it. Without it, replies that take longer than a turn are lost.
  Object.assign(server, { httpAllowHalfOpen: true });
  // One more than the app accepts, so that it can detect too many.
  server.maxHeadersCount = headerLinesLimit + 1;

  const exchanges = createExchanges(({ request, response, prepare }) => {
    prepare?.();
    turns.schedule(readBearer(request.headers.authorization) ?? '', 1, () => {
      // The request of a client that has disconnected is dropped.
      if (request.socket.destroyed) return;
      normalizeTarget(request);
      app(request, response);
    });
  });
  function add(request: IncomingMessage, response: ServerResponse, prepare?: () => void): void {
    // The service ignores the request for another protocol (RFC 9110, section 7.8), but Node.js has already stopped parsing, and drops
    // what was read together with it. A client sends again what follows the last reply of a connection.
    if (request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
    exchanges.add({ request, response, prepare });
  }
  server.on('request', add);
  // An expectation other than 100-continue may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', add);
  // Node.js would write it between the head and the body of an earlier reply.
  server.on('checkContinue', (request, response) => add(request, response, () => response.writeContinue()));
  // Node.js would close the connection without a reply, and it hands the bare socket to servers that are proxies.
  server.on('connect', (request) => {
    const response = takeConnection(request, classes.ServerResponse, limits.keepAliveMs);
    exchanges.add({ request, response, prepare: () => response.assignSocket(request.socket) });
  });
  clientErrorHandler(server, exchanges, lingerOnClose(server, exchanges, turns), log);
  closeStalled(server, limits);
  return server;
}

/** Creates the response to a CONNECT request, which is handled like any other, and closes the connection after it. */
function takeConnection(
  request: IncomingMessage,
  Response: typeof ServerResponse,
  idleTimeoutMs: number,
): ServerResponse {
  const { socket } = request;
  // Node.js has detached from the connection, so its errors and timeouts have to be handled here.
  socket.on('error', () => socket.destroy());
  socket.setTimeout(idleTimeoutMs, () => socket.destroy());
  const response = new Response(request);
  response.shouldKeepAlive = false;
  response.once('finish', () => socket.destroySoon());
  return response;
}

/** Closes connections whose client does not read the reply: they have no traffic for some time while a part of the reply is unsent. */
function closeStalled(server: Server, { stalledMs, keepAliveMs, checkIntervalMs }: TimeLimits): void {
  const connections = trackConnections(server);
  const sending = new WeakSet<Socket>();
  const check = () => {
    for (const connection of connections) {
      const isSending = connection.writableLength > 0;
      if (isSending === sending.has(connection)) continue;
      if (isSending) sending.add(connection);
      else sending.delete(connection);
      // The timer restarts with each part that is sent, even of one write. When it expires, Node.js closes the connection.
      connection.setTimeout(isSending ? stalledMs : keepAliveMs);
    }
  };
  const timer = setInterval(check, checkIntervalMs).unref();
  server.once('close', () => clearInterval(timer));
}

/**
 * Replies `bad_request` to what cannot be parsed as HTTP, and closes the connection. Complete requests before it on the
 * same connection get their own replies first: their records may be stored. A request whose body turns out malformed after
 * its reply was sent gets no second reply, and a connection on which nothing was received gets none.
 */
function clientErrorHandler(server: Server, exchanges: Exchanges, linger: Linger, log: Logger): void {
  const commonLines = Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  const closing = new WeakSet<Duplex>();

  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const hasSentNothing = 'bytesRead' in socket && socket.bytesRead === 0;
    if (error.code === 'ECONNRESET' || hasSentNothing) socket.destroy();
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
      if (own?.writableEnded) {
        whenFinished(own, () => linger(socket));
      } else {
        socket.end(formatReply(error, commonLines.join(''), log));
        linger(socket);
      }
    });
  });
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
    return 'The request is not valid HTTP: its headers are too large or too numerous.';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The request took too long to arrive. Send it again.';
  const advice = code === 'HPE_INVALID_URL' ? ': its target must be a percent-encoded path' : '';
  return `The request is not valid HTTP (${code})${advice}.`;
}
