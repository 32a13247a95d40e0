import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/**
 * What happens to one request: the proxy answers it itself with a status and headers, closes the connection before or
 * after the service has stored the plant, or in the middle of the body of a 503, never answers, or passes it on.
 */
export type Step =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | 'drop'
  | 'store, then drop'
  | 'drop in the body'
  | 'hold'
  | 'pass on';

/**
 * Starts a proxy before the service on a free port of 127.0.0.1; `requests` are what it has received.
 *
 * @param stepOf what happens to each request, by its index, or the steps for the first ones; all others are passed on
 */
export async function startProxy(baseUrl: string, stepOf: readonly Step[] | ((index: number) => Step)) {
  const requests: { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: string }[] =
    [];
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const index = requests.length;
    requests.push({ url: incoming.url ?? '', headers: incoming.headers, body: String(body) });
    const step = typeof stepOf === 'function' ? stepOf(index) : (stepOf[index] ?? 'pass on');
    if (step === 'hold') return undefined;
    if (typeof step === 'object') {
      return outgoing.writeHead(step.status, step.headers).end('{"error":0,"message":"from the proxy"}');
    }
    if (step === 'drop') return outgoing.destroy();
    if (step === 'drop in the body') {
      const type = { 'Content-Type': 'application/json', 'Content-Length': 100 };
      return outgoing.writeHead(503, type).write('{"error":', () => outgoing.destroy());
    }
    const { method, url = '', headers } = incoming;
    const forwarded = send(new URL(url, baseUrl), { method, headers, agent: false }).end(body);
    forwarded.on('error', () => outgoing.destroy());
    return forwarded.on('response', (response) => {
      if (step === 'store, then drop') outgoing.destroy();
      else response.pipe(outgoing.writeHead(response.statusCode ?? 502, response.headers));
    });
  });
  return { url: await listen(server), requests };
}

/** Lets a server listen on a free port of 127.0.0.1 until the end of the test, and resolves to its URL. */
export async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
