import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type Client, isTimeoutError } from '@plant-store/client';
import { createClientWithTokenFile } from './create-client-with-token-file.ts';

/** Answers `POST /sales` with `{ "plant": "9000000000000006001", "name": "Rose" }`: it stores a plant for each sale. */
export function handleSales(client: Client): RequestListener {
  return async (request, response) => {
    // When the caller hangs up, the client need not wait for a reply either.
    const hangUp = new AbortController();
    response.on('close', () => hangUp.abort());
    const { status, body } = await json(request).then(
      (sale) => storeSale(client, sale, hangUp.signal),
      () => ({ status: 400, body: { message: 'The sale is not JSON.' } }),
    );
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };
}

/** A sale that was answered with 502 or 504 may be sent again: the same plant is stored once. */
async function storeSale(client: Client, sale: unknown, signal: AbortSignal) {
  const { plant, name } = Object(sale);
  if (typeof plant !== 'string' || !/^-?\d+$/.test(plant) || typeof name !== 'string') {
    return { status: 400, body: { message: 'A sale needs `plant`, an id as text, and `name`.' } };
  }
  try {
    const reply = await client.createPlant({ body: { id: BigInt(plant), name }, timeoutMs: 5_000, signal });
    if (reply.status === 200) return { status: 200, body: { stored: plant, name: reply.body.name } };
    if (reply.status === 400) return { status: 422, body: { message: reply.body.message } };
    console.error(reply.status, reply.body.error, reply.body.message, reply.requestId);
  } catch (error) {
    if (!signal.aborted) console.error(error);
    if (isTimeoutError(error)) return { status: 504, body: { message: 'The plant store took too long.' } };
  }
  return { status: 502, body: { message: 'The plant store cannot store plants right now.' } };
}

if (process.argv[1] === import.meta.filename) {
  const client = createClientWithTokenFile(process.env['PLANT_STORE_TOKEN_FILE'] ?? 'token', {
    baseUrl: process.env['PLANT_STORE_URL'] ?? 'http://127.0.0.1:3000',
  });
  const server = createServer(handleSales(client)).listen(Number(process.env['PORT'] ?? 8080), '127.0.0.1');
  await once(server, 'listening');
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/sales`);
  process.once('SIGTERM', () => server.close());
}
