import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { context, propagation, SpanKind, trace } from '@opentelemetry/api';
import { createClient } from '@plant-store/client';
import { withAttemptSpans } from './with-attempt-spans.ts';

const client = createClient({
  baseUrl: process.env['PLANT_STORE_URL'] ?? 'http://127.0.0.1:3000',
  token: process.env['PLANT_STORE_TOKEN'] ?? '',
});

/** Stores the plant of a request, `{ "id": "9000000000000009001", "name": "Rose" }`, and resolves to the status and body of the reply. */
async function store(request: IncomingMessage): Promise<[number, object]> {
  const { id, name } = Object(await json(request).catch(() => undefined));
  if (typeof id !== 'string' || !/^-?\d+$/.test(id) || typeof name !== 'string') {
    return [400, { message: 'A plant needs `id`, an integer as text, and `name`.' }];
  }
  try {
    const reply = await withAttemptSpans((hooks) =>
      client.createPlant({ body: { id: BigInt(id), name }, ...hooks }),
    );
    if (reply.status === 200 || reply.status === 400) return [reply.status, reply.body];
    // About the token of this service, or about its load: nothing that its caller could fix.
    console.error(reply.status, reply.body.error, reply.body.message, reply.requestId);
    return [502, { message: 'The plant store cannot store plants right now.' }];
  } catch (error) {
    console.error(error);
    return [502, { message: 'The plant store cannot be reached. Send the same plant again.' }];
  }
}

const server = createServer((request, response) => {
  const caller = propagation.extract(context.active(), request.headers);
  const tracer = trace.getTracer('plant-service');
  context.with(caller, () =>
    tracer.startActiveSpan('POST /', { kind: SpanKind.SERVER }, async (span) => {
      const [status, body] = await store(request);
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      span.setAttribute('http.response.status_code', status).end();
    }),
  );
}).listen(Number(process.env['PORT'] ?? 8080), '127.0.0.1');
await once(server, 'listening');
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
process.once('SIGTERM', () => server.close());
