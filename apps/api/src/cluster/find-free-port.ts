import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/**
 * Finds a port that is free. Workers that listen on port 0 share a port only as long as one of them runs, so it is chosen
 * before they start.
 *
 * @returns the port itself unless it is 0; 0 where the host cannot be listened on, which the workers report
 */
export async function findFreePort(host: string, port: number): Promise<number> {
  if (port !== 0) return port;
  const server = createServer();
  try {
    await once(server.listen({ host, port: 0 }), 'listening');
    return (server.address() as AddressInfo).port;
  } catch {
    return 0;
  } finally {
    server.close();
  }
}
