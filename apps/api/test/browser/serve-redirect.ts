import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that redirects every request of a page, as one does whose service has moved. */
export interface ServedRedirect {
  readonly baseUrl: string;
  /** How many requests, but for preflights, it has redirected. */
  readonly redirected: number;
  stop(): void;
}

/** Redirects with 308, on a free port and to a page of any origin. */
export async function serveRedirect(target: string): Promise<ServedRedirect> {
  let redirected = 0;
  const server = createServer((request, response) => {
    const isPreflight = request.method === 'OPTIONS';
    if (!isPreflight) redirected++;
    response.writeHead(isPreflight ? 204 : 308, {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type',
      ...(!isPreflight && { Location: target }),
    });
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get redirected() {
      return redirected;
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
