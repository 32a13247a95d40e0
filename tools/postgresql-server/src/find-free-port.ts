import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The range of ports to try: from the first, up to but not including the second. Systems assign ports from 32,768 on by default, so no
 * other program is assigned one of these before the caller listens on it.
 */
export const portRange = [20_000, 32_768] as const;

/** The ports that were returned. Their callers might not listen on them yet. */
const returnedPorts = new Set<number>();

/**
 * Finds a port of 127.0.0.1 on which no program listens, and which the system does not assign to another program. Never returns the same
 * port twice.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...portRange);
    if (returnedPorts.has(port) || !(await isFree(port))) continue;
    returnedPorts.add(port);
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
