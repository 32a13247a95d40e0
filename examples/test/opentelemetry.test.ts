import { createServer } from 'node:http';
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { createClient } from '@plant-store/client';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { withAttemptSpans } from '../opentelemetry/with-attempt-spans.ts';
import { post, startExample } from './support/example.ts';
import { until } from './support/process.ts';
import { listen, startProxy } from './support/proxy.ts';
import { startService } from './support/service.ts';

const exporter = new InMemorySpanExporter();

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const spanProcessors = [new SimpleSpanProcessor({ exporter })];
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors }));
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
  const common = {
    'http.request.method': 'POST',
    'server.address': '127.0.0.1',
    'server.port': Number(new URL(url).port),
    'url.full': `${url}/plants`,
  };
  const { ERROR, UNSET } = SpanStatusCode;
  const status = 'http.response.status_code';
  const resent = 'http.request.resend_count';
  for (const [span, code, attributes] of [
    [first, ERROR, { [status]: 503, 'error.type': '503' }],
    [second, ERROR, { [resent]: 1, 'error.type': 'TypeError' }],
    [third, UNSET, { [resent]: 2, [status]: 200 }],
  ] as const) {
    expect(span).toMatchObject({ name: 'POST', kind: SpanKind.CLIENT, status: { code } });
    expect(span?.attributes).toEqual({ ...common, ...attributes });
  }
  expect(exporter.getFinishedSpans()).toHaveLength(4);
  const traceId = parent?.spanContext().traceId;
  expect(requests.map(({ headers }) => headers['traceparent'])).toEqual(
    [first, second, third].map((span) => `00-${traceId}-${span?.spanContext().spanId}-01`),
  );
  const all = exporter.getFinishedSpans().map(({ attributes }) => attributes);
  expect(JSON.stringify(all)).not.toContain(service.token);
});

it('ends the span of an attempt that the caller aborts', async () => {
  const stop = new AbortController();
  const hang = () => {
    stop.abort();
    return new Promise<never>(() => undefined);
  };
  const client = createClient({ baseUrl: 'http://127.0.0.1:1', token: 'pst_example', fetch: hang });
  const call = withAttemptSpans((hooks) =>
    client.createPlant({ body: { id: 1, name: 'Rose' }, signal: stop.signal, ...hooks }),
  );
  expect(await call.catch((error: unknown) => error)).toBe(stop.signal.reason);
  expect(exporter.getFinishedSpans()).toMatchObject([{ attributes: { 'error.type': 'AbortError' } }]);
});

it('continues the trace of its caller up to the log of the service, and stores the plant of its README', async () => {
  const service = await startService();
  const { url, plant, waitFor } = await startExample('opentelemetry', service.environment);
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  expect(await post(url, plant, { traceparent })).toEqual([200, { name: 'Rose' }]);
  expect(await service.readPlants()).toEqual([`{"id":${plant.id},"name":"Rose"}`]);
  const line = await until(() => service.log().find(({ msg }) => msg === 'request'));
  expect(line).toMatchObject({ traceId, spanId: expect.stringMatching(/^[0-9a-f]{16}$/), status: 200 });
  await waitFor(new RegExp(`id: '${line?.['spanId']}'`));

  expect(await post(url, { ...plant, name: 'Fern' })).toMatchObject([400, { error: 40003 }]);
  expect(await post(url, { id: 1, name: 'Rose' })).toMatchObject([400, {}]);
  await service.stop();
  expect(await post(url, plant)).toMatchObject([502, {}]);
});

it('logs a rejection that its caller cannot fix, and responds with 502', async () => {
  const statuses = { 401: 40101, 403: 40300, 429: 42900, 503: 50301 };
  let status = 0;
  const store = createServer((_, response) => {
    const error = statuses[status as keyof typeof statuses];
    const headers = { 'Content-Type': 'application/json', 'X-Request-Id': 'r-1' };
    response.writeHead(status, headers).end(JSON.stringify({ error, message: 'about the service' }));
  });
  const settings = { PLANT_STORE_URL: await listen(store), PLANT_STORE_TOKEN: 'pst_own' };
  const { url, waitFor, output } = await startExample('opentelemetry', settings);
  for (const [answered, error] of Object.entries(statuses)) {
    status = Number(answered);
    const message = 'The plant store cannot store plants right now.';
    expect(await post(url, { id: '1', name: 'Rose' })).toEqual([502, { message }]);
    await waitFor(new RegExp(`${status} ${error} about the service r-1`));
  }
  expect(output()).not.toContain('pst_own');
});
