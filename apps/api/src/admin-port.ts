import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { messages } from '@plant-store/contract/messages';
import { methodNotAllowed, ServiceError } from '@plant-store/records';
import type { Logger } from 'pino';
import type { Config } from './config.js';
import { createGracefulShutdown, listen } from './http/listen.js';
import type { Readiness } from './observe/readiness.js';
import { shareInFlight, stopTimeouts } from './runtime/timing.js';

export interface ReadableMetrics {
  readonly contentType: string;
  metrics(): Promise<string>;
}

interface AdminDependencies {
  readonly readiness: () => Promise<Readiness>;
  /** The metrics to serve at `/metrics`, in Prometheus text format. If omitted, there is no `/metrics`. */
  readonly metrics?: ReadableMetrics | undefined;
  readonly log: Logger;
}

export type AdminPort = Awaited<ReturnType<typeof openAdminPort>>;

/**
 * Opens the admin port, if one is configured.
 *
 * @throws {OperatorError} if the server cannot listen on the address
 */
export async function openAdminPort(admin: Config['admin'], dependencies: AdminDependencies) {
  if (admin === undefined) return { adminUrl: undefined, close: async () => undefined };
  const server = createAdminServer(dependencies);
  const stop = createGracefulShutdown(server);
  const adminUrl = await listen(server, admin.host, admin.port, 'ADMIN_');
  return {
    /** The address that the server listens on, such as `http://127.0.0.1:3001`; `undefined` without an admin port. */
    adminUrl,
    /** Answers the requests in flight, and closes the server. */
    close: async () => void (await stop(stopTimeouts.adminMs)),
  };
}

/** A route's reply. The body is sent as JSON unless it is text. */
interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | object;
}

type Routes = Map<string, () => Promise<Reply>>;

/** Time limits for receiving a request, and how often they are checked, in milliseconds. Probes and scrapes are small. */
const timeLimits = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
};

/** How long a connection can stay idle, for example because the client does not read its reply, in milliseconds. */
const idleMs = 10_000;

/** The maximum number of open connections. The server closes further connections on arrival. */
export const maxAdminConnections = 64;

/**
 * Creates the admin port's server, for monitoring and for the health checks of load balancers and orchestrators. The server does not listen
 * yet. It requires no token and logs no requests. If a request arrives before the reply to the previous one is sent, the server closes the
 * connection, so that no connection can send many requests at once.
 */
export function createAdminServer({ readiness, metrics, log }: AdminDependencies): Server {
  const routes: Routes = new Map([
    ['/livez', async () => live],
    ['/readyz', async () => describeReadiness(await readiness())],
  ]);
  if (metrics !== undefined)
    routes.set(
      '/metrics',
      shareInFlight(async () => {
        const headers = { 'Content-Type': metrics.contentType };
        return { status: 200, headers, body: await metrics.metrics() };
      }),
    );
  const busy = new WeakSet<Socket>();
  const server = createServer(timeLimits, async (request, response) => {
    const { socket } = request;
    if (busy.has(socket)) {
      socket.destroy();
      return;
    }
    busy.add(socket);
    response.once('close', () => busy.delete(socket));
    send(response, await handle(routes, request).catch((error: unknown) => toErrorReply(error, log)));
  });
  server.timeout = idleMs;
  server.maxConnections = maxAdminConnections;
  return server;
}

const live: Reply = { status: 200, body: { status: 'live' } };

function describeReadiness(readiness: Readiness): Reply {
  if (readiness.ready) {
    const { warnings } = readiness;
    return { status: 200, body: { status: 'ready', ...(warnings.length > 0 && { warnings }) } };
  }
  const { reason } = readiness;
  // Until a damaged database is restored, a retry does not help.
  const headers = reason === 'database_damaged' ? {} : { 'Retry-After': '1' };
  return { status: 503, headers, body: { status: 'unavailable', reason } };
}

/** @throws {ServiceError} `not_found` or `method_not_allowed`, as on the public port */
async function handle(routes: Routes, { method = '', url = '' }: IncomingMessage): Promise<Reply> {
  const path = url.replace(/\?.*/, '');
  const route = routes.get(path);
  if (route === undefined) {
    throw new ServiceError('not_found', messages.notFound(path));
  }
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(method, path, ['GET', 'HEAD']);
  return route();
}

function toErrorReply(error: unknown, log: Logger): Reply {
  if (error instanceof ServiceError) {
    const { status, headers, body } = error;
    return { status, headers, body };
  }
  log.error({ err: error }, 'admin request failed');
  return toErrorReply(new ServiceError('internal_error', 'An unexpected error occurred.'), log);
}

function send(response: ServerResponse, { status, headers, body }: Reply): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    ...headers,
  });
  response.end(text);
}
