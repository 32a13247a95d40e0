import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { codeOf, messageOf, OperatorError } from '../errors/operator-error.js';

/** How many connections can wait to be accepted. Beyond that, a client's operating system retries after one to three seconds. */
const backlog = 4_096;

/**
 * Starts listening and returns the base address, such as `http://127.0.0.1:3000`.
 *
 * @param settingsPrefix the prefix of the settings `HOST` and `PORT` that the address comes from
 * @throws {OperatorError} with advice for the operator, when the server cannot listen on the address
 */
export async function listen(
  server: Server,
  host: string,
  port: number,
  settingsPrefix: '' | 'ADMIN_' = '',
): Promise<string> {
  try {
    server.listen({ port, host, backlog });
    await once(server, 'listening');
  } catch (error) {
    throw new OperatorError(describe(error, host, port, settingsPrefix), { cause: error });
  }
  const bound = server.address() as AddressInfo;
  return `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`;
}

function describe(error: unknown, host: string, port: number, prefix: string): string {
  const code = codeOf(error);
  if (code === 'EADDRINUSE') {
    return `Port ${port} on ${host} is already in use. Stop the program that uses it, or set ${prefix}PORT to another port.`;
  }
  if (code === 'EACCES') {
    return `This user cannot listen on port ${port}. Set ${prefix}PORT to a port above 1023.`;
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `${host} is not an address of this machine. Set ${prefix}HOST to a local address, such as 127.0.0.1 or 0.0.0.0.`;
  }
  return `The service cannot listen on ${host}:${port}: ${messageOf(error)}`;
}

/** How often the service looks for connections that have become idle, in milliseconds. */
const sweepMs = 20;

/**
 * Prepares a server for a graceful stop: the server accepts no new connections, answers requests in flight, and then closes every
 * connection. After the timeout, in milliseconds, the connections of requests still in flight are destroyed.
 *
 * @returns a function that stops the server, and resolves to whether all requests in flight were answered in time
 */
export function createGracefulShutdown(
  server: Server,
  sockets: ReadonlySet<Socket> = trackConnections(server),
): (timeoutMs: number) => Promise<boolean> {
  // Node.js considers a connection idle once its reply is written, even if it is not sent yet. `server.close` calls this method, too.
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    if (![...sockets].some((socket) => socket.writableLength > 0)) closeIdle();
  };

  return async function stopServer(timeoutMs) {
    let inTime = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // Closing a server does not wait for connections that it has not accepted itself.
    const ended = Array.from(sockets, (socket) => new Promise((resolve) => socket.once('close', resolve)));
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      // Node.js does not consider a connection idle if it has received nothing, but no request is waiting on it.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    }, sweepMs);
    const deadline = setTimeout(() => {
      inTime = false;
      server.closeAllConnections();
      // `closeAllConnections` leaves out connections with a CONNECT request.
      for (const socket of sockets) socket.destroy();
    }, timeoutMs);
    await Promise.all([closed, ...ended]);
    clearInterval(sweep);
    clearTimeout(deadline);
    // The server closes before its last connections emit `close`, which is when their requests are logged.
    await nextTurn();
    await nextTurn();
    return inTime;
  };
}

/** Returns a server's open connections, kept up to date, whether it accepted them itself or received them from another process. */
export function trackConnections(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** How many file descriptors to reserve for the process, its threads, and the database files. About 40 are in use. */
const ownDescriptors = 64;

/** The service does not start if fewer client connections are possible. */
const minConnections = 16;

/**
 * Returns how many client connections the limit on open files allows, so that none takes a descriptor that the database or the admin port
 * needs.
 *
 * @throws {OperatorError} when the limit is too low
 */
export function countAllowedConnections(openFiles: number, otherConnections: number): number {
  const reserved = ownDescriptors + otherConnections;
  if (openFiles >= reserved + minConnections) return openFiles - reserved;
  throw new OperatorError(
    `Each service process can open ${openFiles} files but needs at least ${reserved + minConnections}: ${reserved} for the ` +
      `database and the admin port, and one for each connection. Raise the limit with LimitNOFILE (systemd) or ulimit -n.`,
  );
}

/**
 * Returns this process's limit on open files (`RLIMIT_NOFILE`), which Node.js raises to the highest that the system permits. Call this
 * before there are connections, because the report also looks up the host names of their peers.
 */
export function readOpenFilesLimit(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: unknown } } };
  // Without a limit, the value is the text `unlimited`. On Windows, there is no value.
  const limit = userLimits?.open_files?.soft;
  return typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY;
}

/** Closes connections beyond the allowed number as they arrive, before anything is read from them. */
export function limitConnections(server: Server, allowed: number, onClosed: () => void): void {
  if (allowed === Number.POSITIVE_INFINITY) return;
  server.maxConnections = allowed;
  server.on('drop', onClosed);
}
