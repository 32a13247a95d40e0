import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { afterTest } from './on-finished.js';

/** Makes a server listen on a free port until the end of the test; returns its URL, such as `http://127.0.0.1:3000`. */
export async function listen(
  server: Server & Partial<Pick<HttpServer, 'closeAllConnections'>>,
): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  afterTest(() => {
    server.close();
    server.closeAllConnections?.();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
