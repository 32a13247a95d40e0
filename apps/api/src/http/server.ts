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
  /** How long a whole request can take to arrive. */
  requestMs: 60_000,
  /** How long its headers can take to arrive. */
  headersMs: 20_000,
  /** How long an idle connection is kept: longer than the 60 seconds of most load balancers. */
  keepAliveMs: 65_000,
  /** How long a connection is kept while the client does not read the reply. */
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

/** Creates an HTTP server for the app. It is not listening yet. Requests that are not valid HTTP also get an Error body. */
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
    // The app checks the Host header, so that a missing one is reported like any other error.
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
      // Drops the request of a client that has disconnected.
      if (request.socket.destroyed) return;
      normalizeTarget(request);
      app(request, response);
    });
  });
  function addExchange(request: IncomingMessage, response: ServerResponse, prepare?: () => void): void {
    // The service ignores a request to change the protocol (RFC 9110, section 7.8), but Node.js has already stopped parsing, and drops the
    // data that was read with the request. Because the connection closes, the client sends the requests in that data again.
    if (request.headers.upgrade !== undefined) response.setHeader('Connection', 'close');
    exchanges.add({ request, response, prepare });
  }
  server.on('request', addExchange);
  // An expectation other than 100-continue may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', addExchange);
  // Node.js would write `100 Continue` between the head and the body of an earlier reply.
  server.on('checkContinue', (request, response) =>
    addExchange(request, response, () => response.writeContinue()),
  );
  // Without a listener, Node.js would close the connection without a reply. It passes the bare socket, which only proxies need.
  server.on('connect', (request) => {
    const response = createConnectResponse(request, classes.ServerResponse, limits.keepAliveMs);
    exchanges.add({ request, response, prepare: () => response.assignSocket(request.socket) });
  });
  handleClientErrors(server, exchanges, lingerOnClose(server, exchanges, turns), log);
  closeStalled(server, limits);
  return server;
}

/** Creates the response to a CONNECT request. The request is handled like any other, but its connection closes after the reply. */
function createConnectResponse(
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

/** Closes connections whose client does not read the reply: there is no traffic for some time while part of the reply is unsent. */
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
 * Replies `bad_request` to data that is not valid HTTP, and closes the connection. Earlier complete requests on the same connection get
 * their own replies first, because their records might be stored. If the reply to a request was sent before its body turned out to be
 * malformed, there is no second reply. A connection on which nothing was received gets no reply.
 */
function handleClientErrors(server: Server, exchanges: Exchanges, linger: Linger, log: Logger): void {
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
    /** The response to the malformed request, if its head was valid. */
    const own = latest?.request.complete === false ? latest.response : undefined;
    const previous = exchanges.unanswered(socket).findLast(({ response }) => response !== own);
    whenFinished(previous?.response, () => {
      // Node.js closes the connection.
      if (previous !== undefined && isLast(previous.response)) return;
      if (own?.writableEnded) {
        whenFinished(own, () => linger(socket));
      } else {
        socket.end(formatReply(error, commonLines.join(''), log));
        linger(socket);
      }
    });
  });
}

/** Whether the connection closes after a response, because of the request or the response's own header. */
function isLast(response: ServerResponse): boolean {
  return !response.shouldKeepAlive || /close/i.test(String(response.getHeader('Connection')));
}

function whenFinished(response: ServerResponse | undefined, proceed: () => void): void {
  if (response === undefined || response.writableFinished) proceed();
  // Runs before Node.js's own listener, which ends the connection if the client has closed its sending side.
  else response.prependOnceListener('finish', proceed);
}

/** Formats the head and body of the reply to malformed HTTP, and logs the error. */
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
