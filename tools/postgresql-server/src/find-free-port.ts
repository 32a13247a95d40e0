import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The ports that are tried, from the first up to, but not including, the second. They are below those that systems assign themselves
 * (from 32,768 on by default), so no other program is assigned one before its caller listens on it.
 */
export const triedPorts = [20_000, 32_768] as const;

/** The ports that were returned, on which their callers may not listen yet. */
const returned = new Set<number>();

/**
 * Finds a port of 127.0.0.1 on which nothing listens, and which the system assigns to no other program. Nor does it return the same port
 * twice.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...triedPorts);
    if (returned.has(port) || !(await isFree(port))) continue;
    returned.add(port);
    return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
