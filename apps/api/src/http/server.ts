import { randomUUID } from 'node:crypto';
import {
  createServer as createHttpServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { ServiceError } from '../errors/service-error.js';
import { messageClasses } from './fast-path.js';
import { headerLinesLimit, normalizeTarget } from './middleware/request-head.js';
import { securityHeaders } from './security-headers.js';

/** Time limits for clients, in milliseconds. */
interface TimeLimits {
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
interface ServerOptions {
  readonly limits?: TimeLimits;
  /** Whether messages are of classes made for the app; see decision 10. */
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
  server.on('request', paceRequests(continueInOrder(server, exchanges, handle)));
  // An expectation other than 100-continue may be ignored (RFC 9110, section 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  connectHandler(server, exchanges, classes.ServerResponse, limits.keepAliveMs);
  clientErrorHandler(server, exchanges, log);
  return server;
}

/**
 * Sends 100 Continue to requests that expect it, and handles those behind other requests of a connection once these are
 * answered: Node.js would write it between the head and the body of a reply from a buffer that is ready before its turn.
 */
function continueInOrder(
  server: Server,
  exchanges: ConnectionExchanges,
  handle: RequestListener,
): RequestListener {
  const responsesBefore = new WeakMap<ServerResponse, ServerResponse>();
  server.on('checkContinue', (request, response) => {
    const before = exchanges.unanswered(request.socket).at(-1);
    if (before === undefined) response.writeContinue();
    else responsesBefore.set(response, before.response);
    server.emit('request', request, response);
  });

  return function handleInOrder(request, response) {
    const before = responsesBefore.get(response);
    if (before === undefined) {
      handle(request, response);
      return;
    }
    const proceed = () => {
      response.writeContinue();
      handle(request, response);
    };
    if (before.writableFinished) proceed();
    else before.once('finish', proceed);
  };
}

/**
 * Handles CONNECT requests like any other, after the replies that are due before them, and closes the connection. By
 * default Node.js closes it without a reply, and hands the bare socket to servers that are proxies.
 *
 * @param idleTimeoutMs how long the connection may be without traffic before it is closed, in milliseconds
 */
function connectHandler(
  server: Server,
  exchanges: ConnectionExchanges,
  Response: typeof ServerResponse,
  idleTimeoutMs: number,
): void {
  server.on('connect', (request) => {
    const { socket } = request;
    // Node.js has detached from the connection, so its errors and timeouts have to be handled here.
    socket.on('error', () => socket.destroy());
    socket.setTimeout(idleTimeoutMs, () => socket.destroy());

    const response = new Response(request);
    response.shouldKeepAlive = false;
    response.once('finish', () => socket.destroySoon());
    const before = exchanges.unanswered(socket).at(-1);
    server.emit('request', request, response);
    if (before === undefined) response.assignSocket(socket);
    else before.response.once('finish', () => response.assignSocket(socket));
  });
}

/** How long a connection is kept for its client to read the last reply, in milliseconds. */
const lingerMs = 1_000;

/**
 * Replies `bad_request` to what cannot be parsed as HTTP, and closes the connection. Complete requests before it on the
 * same connection get their own replies first: their plants may be stored. A request whose body turns out malformed after
 * its reply was sent gets no second reply, and a connection on which nothing was received gets none.
 */
function clientErrorHandler(server: Server, exchanges: ConnectionExchanges, log: Logger): void {
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

/** How many requests are handled in one turn of the event loop; more wait for the next turn. */
export const requestsPerTurn = 32;

/** How many requests of a connection may wait before reading from it is paused. */
const waitingPerConnection = 16;

type Waiting = Parameters<RequestListener>[];

/**
 * Bounds how many requests are handled in a turn of the event loop. Those of one connection keep their order, and
 * connections take turns, so that one with many requests does not hold up the others.
 *
 * Node.js accepts one connection in each turn of the event loop, and reads in that turn from every connection that has
 * data. With a thousand busy connections a turn would last as long as a thousand requests, and a new connection would wait
 * for as many turns as there are connections before it.
 */
export function paceRequests(handle: RequestListener): RequestListener {
  /** The waiting requests by connection; the next connection comes first. */
  const waiting = new Map<Socket, Waiting>();
  let waitingCount = 0;
  /** How many requests this turn may still handle; `undefined` outside of one. */
  let left: number | undefined;

  function startTurn(): void {
    const count = Math.min(waitingCount, requestsPerTurn);
    left = requestsPerTurn - count;
    // A callback for each, so that its microtasks run before the next request.
    for (let index = 0; index < count; index++) setImmediate(handleNext);
    setImmediate(endTurn);
  }

  function handleNext(): void {
    const [first] = waiting;
    if (first === undefined) return;
    const [connection, requests] = first;
    waiting.delete(connection);
    // The requests of a client that has disconnected are dropped.
    const taken = connection.destroyed ? requests.splice(0) : requests.splice(0, 1);
    waitingCount -= taken.length;
    if (requests.length > 0) waiting.set(connection, requests);
    if (requests.length === waitingPerConnection - 1) resumeReading(connection);
    const [next] = taken;
    if (next !== undefined && !connection.destroyed) handle(...next);
  }

  function endTurn(): void {
    left = undefined;
    if (waitingCount > 0) startTurn();
  }

  function wait(...exchange: Parameters<RequestListener>): void {
    const { socket } = exchange[0];
    const requests = waiting.get(socket) ?? [];
    requests.push(exchange);
    waiting.set(socket, requests);
    waitingCount++;
    if (requests.length === waitingPerConnection) pauseReading(socket);
  }

  return function paceRequest(request, response) {
    if (left === undefined) startTurn();
    if (left === 0 || waitingCount > 0) {
      wait(request, response);
    } else {
      left = (left ?? 0) - 1;
      handle(request, response);
    }
  };
}

/** Stops reading from a connection. What was read already may still contain requests. */
function pauseReading(connection: Socket): void {
  connection.pause();
  connection.on('resume', pauseAgain);
}

function resumeReading(connection: Socket): void {
  connection.off('resume', pauseAgain);
  connection.resume();
}

/** Node.js resumes a connection whenever one of its requests was read or answered. */
function pauseAgain(this: Socket): void {
  this.pause();
}

/** A request and the response to it. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The exchanges that are in flight on each connection of a server, in the order in which their replies are sent. */
interface ConnectionExchanges {
  /** The unfinished exchanges of a connection, oldest first. */
  unanswered(connection: Duplex): readonly Exchange[];
  /** The latest exchange of a connection, finished or not. */
  latest(connection: Duplex): Exchange | undefined;
}

interface Link extends Exchange {
  next: Link | undefined;
}

/** The exchanges of one connection; those at the front may be finished. */
interface Chain {
  first: Link;
  last: Link;
}

/**
 * Tracks the exchanges on each connection of a server. When a connection ends, it emits `close` on the responses that are
 * still queued behind others, for listeners such as the request logger: Node.js up to 24 emits it only on the response that
 * is being sent.
 */
function trackExchanges(server: Server): ConnectionExchanges {
  const chains = new WeakMap<Duplex, Chain>();

  server.on('request', (request, response) => {
    const { socket } = request;
    const link: Link = { request, response, next: undefined };
    const chain = chains.get(socket);
    if (chain === undefined) {
      const created: Chain = { first: link, last: link };
      chains.set(socket, created);
      socket.once('close', () => closeUnanswered(created));
    } else {
      chain.last.next = link;
      chain.last = link;
      dropFinished(chain);
    }
  });

  return {
    unanswered(connection) {
      const chain = chains.get(connection);
      return chain === undefined ? [] : listUnanswered(chain);
    },
    latest: (connection) => chains.get(connection)?.last,
  };
}

/** Replies are sent in order, so finished exchanges are at the front. The last link stays. */
function dropFinished(chain: Chain): void {
  for (let { first } = chain; first.next !== undefined && isFinished(first); first = chain.first) {
    chain.first = first.next;
    // A link in the old generation would keep the young ones behind it from being collected early.
    first.next = undefined;
  }
}

function listUnanswered({ first }: Chain): Exchange[] {
  const unanswered: Exchange[] = [];
  for (let link: Link | undefined = first; link !== undefined; link = link.next) {
    if (!isFinished(link)) unanswered.push(link);
  }
  return unanswered;
}

/** Whether the reply was passed to the operating system, and the connection is free for the next one. */
function isFinished({ response }: Exchange): boolean {
  return response.writableFinished && response.socket === null;
}

function closeUnanswered(chain: Chain): void {
  const unanswered = listUnanswered(chain);
  for (const { response } of unanswered) response.destroy();
  // By then Node.js has emitted `close` on those for which it does so itself.
  process.nextTick(() => {
    for (const { response } of unanswered) if (!response.closed) response.emit('close');
  });
}
