import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How often connections that have become idle are looked for, in milliseconds. */
const sweepMs = 20;

/** Stops a server; see `createGracefulShutdown`. Resolves with whether all running requests were answered in time. */
export type GracefulShutdown = (timeoutMs: number) => Promise<boolean>;

/**
 * Makes a server that can be stopped: no new connections, running requests are answered, then every connection is
 * closed. Running requests may take as long as the timeout says, in milliseconds; then their connections are cut.
 */
export function createGracefulShutdown(server: Server): GracefulShutdown {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  return async function stopServer(timeoutMs) {
    let inTime = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      // A connection on which nothing has come yet is not idle to Node, but nobody waits on it.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    }, sweepMs);
    const deadline = setTimeout(() => {
      inTime = false;
      server.closeAllConnections();
      // Those that have brought a CONNECT are not among them.
      for (const socket of sockets) socket.destroy();
    }, timeoutMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(deadline);
    // The server is closed before its last connections say so, and each cut request is logged then.
    await nextTurn();
    await nextTurn();
    return inTime;
  };
}
