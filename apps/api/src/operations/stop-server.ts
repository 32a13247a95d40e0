import type { Server } from 'node:http';

/** How often connections that have become idle are looked for, in milliseconds. */
const sweepMs = 20;

/**
 * Stops a server: no new connections, running requests are answered, then every connection is closed.
 *
 * @param timeoutMs how long running requests may take; after that their connections are cut
 * @returns whether all running requests were answered in time
 */
export async function stopServer(server: Server, timeoutMs: number): Promise<boolean> {
  let inTime = true;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const sweep = setInterval(() => server.closeIdleConnections(), sweepMs);
  const deadline = setTimeout(() => {
    inTime = false;
    server.closeAllConnections();
  }, timeoutMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
  return inTime;
}
