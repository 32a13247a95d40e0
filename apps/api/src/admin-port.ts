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
  /** The metrics, shown in Prometheus' text format; without them there is no `/metrics`. */
  readonly metrics?: ReadableMetrics | undefined;
  readonly log: Logger;
}

export type AdminPort = Awaited<ReturnType<typeof openAdminPort>>;

/**
 * Listens on the admin port, if there is one.
 *
 * @throws {OperatorError} when the address cannot be listened on
 */
export async function openAdminPort(admin: Config['admin'], dependencies: AdminDependencies) {
  if (admin === undefined) return { adminUrl: undefined, close: async () => undefined };
  const server = createAdminServer(dependencies);
  const stop = createGracefulShutdown(server);
  const adminUrl = await listen(server, admin.host, admin.port, 'ADMIN_');
  return {
    /** Where it listens, such as `http://127.0.0.1:3001`; `undefined` without one. */
    adminUrl,
    /** Answers the requests in flight, and closes it. */
    close: async () => void (await stop(stopTimeouts.adminMs)),
  };
}

/** The reply of a route; its body is sent as JSON unless it is text. */
interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | object;
}

type Routes = Map<string, () => Promise<Reply>>;

/** Time limits for clients, in milliseconds. Probes and scrapes are small, and get a reply within about 2 seconds. */
const timeLimits = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
};

/** How long a client may leave its reply unread, in milliseconds. */
const idleMs = 10_000;

/** How many connections are open at once; more are closed as they arrive. */
export const maxAdminConnections = 64;

/**
 * Creates the server of the admin port, not listening yet, for monitoring and for the health checks of load balancers and orchestrators. It
 * requires no token and logs no requests. A connection is closed if a request arrives before the reply to the previous one is sent, so that
 * no connection sends many requests at once.
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
