import { createServer } from 'node:http';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { createClient } from '@plant-store/client';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { withAttemptSpans } from '../opentelemetry/with-attempt-spans.ts';
import { findExample } from './support/example.ts';
import { listen } from './support/listen.ts';
import { post } from './support/post.ts';
import { start } from './support/process.ts';
import { startProxy } from './support/proxy.ts';
import { startService } from './support/service.ts';
import { until } from './support/until.ts';

const exporter = new InMemorySpanExporter();

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
  );
});

afterEach(() => exporter.reset());

it('records a span for each attempt below the active one, and sends it along', async () => {
  const service = await startService();
  const { url, requests } = await startProxy(service.baseUrl, [{ status: 503 }, 'drop']);
  const client = createClient({ baseUrl: url, token: service.token });
  await trace.getTracer('test').startActiveSpan('parent', async (parent) => {
    await withAttemptSpans((hooks) => client.createPlant({ body: { id: 1, name: 'Rose' }, ...hooks }));
    parent.end();
  });
  const [first, second, third, parent] = exporter.getFinishedSpans();
  const { port } = new URL(url);
  const common = {
    'http.request.method': 'POST',
    'server.address': '127.0.0.1',
    'server.port': Number(port),
    'url.full': `${url}/plants`,
  };
  expect(first).toMatchObject({
    name: 'POST',
    kind: SpanKind.CLIENT,
    status: { code: SpanStatusCode.ERROR },
  });
  expect(first?.attributes).toEqual({ ...common, 'http.response.status_code': 503, 'error.type': '503' });
  expect(second?.attributes).toEqual({
    ...common,
    'http.request.resend_count': 1,
    'error.type': 'TypeError',
  });
  expect(third?.attributes).toEqual({
    ...common,
    'http.request.resend_count': 2,
    'http.response.status_code': 200,
  });
  expect(third?.status).toEqual({ code: SpanStatusCode.UNSET });
  expect(exporter.getFinishedSpans()).toHaveLength(4);
  const traceId = parent?.spanContext().traceId;
  expect(requests.map(({ headers }) => headers['traceparent'])).toEqual(
    [first, second, third].map((span) => `00-${traceId}-${span?.spanContext().spanId}-01`),
  );
  expect(JSON.stringify(exporter.getFinishedSpans().map(({ attributes }) => attributes))).not.toContain(
    service.token,
  );
});

it('ends the span of an attempt that the caller aborts', async () => {
  const { environment, token } = await startService();
  const stop = new AbortController();
  const client = createClient({
    baseUrl: environment['PLANT_STORE_URL'] ?? '',
    token,
    fetch: () => {
      stop.abort();
      return new Promise(() => undefined);
    },
  });
  const call = withAttemptSpans((hooks) =>
    client.createPlant({ body: { id: 1, name: 'Rose' }, signal: stop.signal, ...hooks }),
  );
  await expect(call).rejects.toBe(stop.signal.reason);
  expect(exporter.getFinishedSpans().map(({ attributes }) => attributes['error.type'])).toEqual([
    'AbortError',
  ]);
});

it('continues the trace of its caller up to the log of the service', async () => {
  const service = await startService();
  const { folder, command, path } = findExample('opentelemetry');
  const environment = { ...service.environment, ...path, PORT: '0' };
  const example = start(['sh', '-c', command], { folder, environment });
  const [url] = await example.waitFor(/http:\S+/);
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  const plant = { id: '9223372036854775807', name: 'Rose' };
  expect(await post(url, plant, { traceparent })).toEqual([200, { name: 'Rose' }]);
  expect(await service.readPlants()).toEqual(['{"id":9223372036854775807,"name":"Rose"}']);
  const line = await until(() => service.log().find(({ msg }) => msg === 'request'));
  expect(line).toMatchObject({ traceId, spanId: expect.stringMatching(/^[0-9a-f]{16}$/), status: 200 });
  await example.waitFor(new RegExp(`id: '${line['spanId']}'`));

  expect(await post(url, { id: plant.id, name: 'Fern' })).toMatchObject([400, { error: 40003 }]);
  expect(await post(url, { id: 1, name: 'Rose' })).toMatchObject([400, {}]);
  await service.stop();
  expect(await post(url, plant)).toMatchObject([502, {}]);
});

it.each([
  [401, 40101],
  [403, 40300],
  [429, 42900],
  [503, 50301],
])('logs a rejection that its caller cannot fix, and responds with 502: %i', async (status, error) => {
  const reply = JSON.stringify({ error, message: 'about the credential of the service' });
  const store = createServer((_, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'X-Request-Id': 'r-1' }).end(reply);
  });
  const { folder, command, path } = findExample('opentelemetry');
  const environment = {
    ...path,
    PLANT_STORE_URL: await listen(store),
    PLANT_STORE_TOKEN: 'pst_own',
    PORT: '0',
  };
  const example = start(['sh', '-c', command], { folder, environment });
  const [url] = await example.waitFor(/http:\S+/);
  const [received, body] = await post(url, { id: '1', name: 'Rose' });
  expect(received).toBe(502);
  expect(body).toEqual({ message: 'The plant store cannot store plants at the moment.' });
  await example.waitFor(new RegExp(`${status} ${error} about the credential of the service r-1`));
  expect(example.output()).not.toContain('pst_own');
});
