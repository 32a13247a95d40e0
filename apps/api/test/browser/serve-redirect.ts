import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server that redirects every request, as after a move of the service. */
export interface ServedRedirect {
  readonly baseUrl: string;
  /** The number of redirected requests, without preflights. */
  readonly redirected: number;
  stop(): void;
}

/** Starts a server on a free port that redirects with 308, for pages of any origin. */
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
