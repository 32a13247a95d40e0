import { createServer, request } from 'node:http';
import { listen } from '../../../support/listen.js';

/**
 * Starts a proxy that passes what is below a prefix on without it, as nginx does with
 * `location /shop/ { proxy_pass http://127.0.0.1:3000/; }`. All else is 404.
 *
 * @param prefix with a slash at both ends
 * @param target the origin that it passes requests on to
 */
export async function startPrefixProxy(prefix: string, target: string) {
  const server = createServer((incoming, reply) => {
    const { method, headers, url = '' } = incoming;
    if (!url.startsWith(prefix)) {
      reply.writeHead(404).end();
      return;
    }
    const path = url.slice(prefix.length - 1);
    const outgoing = request(target + path, { method, headers }, (response) => {
      reply.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(reply);
    });
    // A page that is left breaks its requests off.
    outgoing.once('error', () => reply.destroy());
    reply.once('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  return { origin: await listen(server), stop: () => server.close().closeAllConnections() };
}
