import { randomUUID } from 'node:crypto';
import supertest from 'supertest';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { readMetrics } from '../support/admin-port.js';
import { type ReceivedMetric, startCollector } from '../support/otlp/start-collector.js';
import { postPlant } from '../support/post-plant.js';
import { readLog } from '../support/read-log.js';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

const plant = { id: 1, name: 'Monstera', tags: ['bright'] };
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const callerId = '00f067aa0ba902b7';

/** Starts a service that sends telemetry to a collector soon. */
async function startTraced(settings: Readonly<Record<string, string>> = {}) {
  const collector = await startCollector();
  const service = await startTestService({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    OTEL_METRICS_EXPORTER: 'none',
    ...settings,
  });
  /** The span of a request, of which the log names the trace. */
  const readSpan = async (requestId: string) => {
    const line = (await readLog(service, requestId)).at(-1);
    return until(() => collector.spans.find(({ spanId }) => spanId === line?.['spanId']));
  };
  return { collector, service, readSpan };
}

describe('a service with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  let traced: Awaited<ReturnType<typeof startTraced>>;
  let service: TestService;
  beforeAll(async () => {
    traced = await startTraced();
    service = traced.service;
    return () => service.stop();
  });

  it('sends a span of each request by the semantic conventions, below that of its caller', async () => {
    await postPlant(service, plant)
      .set('X-Request-Id', 'created')
      .set('traceparent', `00-${traceId}-${callerId}-01`)
      .expect(200);
    const { port } = new URL(service.baseUrl);
    const span = await traced.readSpan('created');
    expect(span).toMatchObject({
      traceId,
      parentSpanId: callerId,
      name: 'POST /plants',
      kind: 'SPAN_KIND_SERVER',
      status: undefined,
      resource: {
        'service.name': 'plant-store',
        'service.version': expect.stringMatching(/^\d+\.\d+\.\d+$/),
        'service.instance.id': expect.any(String),
      },
    });
    expect(span.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/plants',
      'http.response.status_code': 200,
      'url.scheme': 'http',
      'url.path': '/plants',
      'network.protocol.version': '1.1',
      'server.address': '127.0.0.1',
      'server.port': Number(port),
    });
    const [line] = await readLog(service, 'created');
    expect(line).toMatchObject({ traceId, spanId: span.spanId });
    expect(span.durationMs).toBeCloseTo(Number(line?.['durationMs']), -2);
    const headers = { 'content-type': 'application/x-protobuf' };
    expect(traced.collector.requests[0]).toMatchObject({ path: '/v1/traces', headers });
  });

  it.each([
    ['has no caller', undefined],
    ['names a caller that records its trace, but has no token', `00-${traceId}-${callerId}-01`],
    ['names a caller that records nothing, but has no token', `00-${traceId}-${callerId}-00`],
  ])('begins a trace, which the log names, for a request that %s', async (_, traceparent = '') => {
    const requestId = randomUUID();
    await supertest(service.baseUrl).get('/plants/1').set({ 'X-Request-Id': requestId, traceparent });
    const span = await traced.readSpan(requestId);
    expect(span.parentSpanId).toBe('');
    expect(span.traceId).not.toBe(traceId);
    expect(await readLog(service, requestId)).toMatchObject([{ traceId: span.traceId, status: 401 }]);
  });

  it('sends none of a request whose caller does not record its trace', async () => {
    for (const [requestId, flags] of Object.entries({ unrecorded: '00', recorded: '01' }))
      await postPlant(service, plant)
        .set('X-Request-Id', requestId)
        .set('traceparent', `00-${traceId}-${callerId}-${flags}`);
    await traced.readSpan('recorded');
    const [line] = await readLog(service, 'unrecorded');
    expect(line).toMatchObject({ traceId, spanId: expect.stringMatching(/^[\da-f]{16}$/) });
    expect(traced.collector.spans.map(({ spanId }) => spanId)).not.toContain(line?.['spanId']);
  });

  it('has no token, query, name or tag in a span, and no route where there is none', async () => {
    await supertest(service.baseUrl)
      .get(`/no/${service.token}?q=Monstera&tag=bright`)
      .set({ 'X-Request-Id': 'stray', Authorization: `Bearer ${service.token}`, Host: service.token });
    const span = await traced.readSpan('stray');
    const path = expect.stringMatching(/^\/no\/\w+\*\*\*$/);
    expect(span.attributes).toMatchObject({ 'http.response.status_code': 404, 'url.path': path });
    expect(span.attributes).not.toHaveProperty('http.route');
    expect(span).toMatchObject({ name: 'GET', status: undefined });
    await supertest(service.baseUrl)
      .get('/plants?q=Monstera&tag=bright')
      .set({ 'X-Request-Id': 'listed', Authorization: `Bearer ${service.token}` })
      .expect(200);
    expect(await traced.readSpan('listed')).toMatchObject({
      name: 'GET /plants',
      attributes: { 'url.path': '/plants', 'http.route': '/plants' },
    });
    const secret = new RegExp(`${service.token}|Monstera|bright`);
    expect(JSON.stringify(traced.collector.spans)).not.toMatch(secret);
  });
});

it('records no request without an accepted token because of its headers, and lets an accepted caller decide', async () => {
  const { service, collector, readSpan } = await startTraced({
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    AUTH_FAILURES_PER_MINUTE: '2',
  });
  const sampled = { traceparent: `00-${traceId}-${callerId}-01`, tracestate: `a=${'x'.repeat(400)}` };
  const wrong = `Bearer ${service.token.slice(0, -1)}${service.token.endsWith('1') ? '2' : '1'}`;
  const strangers = [
    ...[401, 401, 429].map((status) => ({ path: '/plants', authorization: wrong, status })),
    { path: '/plants', authorization: '', status: 401 },
    { path: '/nowhere', authorization: '', status: 404 },
    // No token is asked for, so none is accepted.
    { path: '/openapi.json', authorization: `Bearer ${service.token}`, status: 200 },
  ];
  for (const { path, authorization, status } of strangers) {
    const reply = await supertest(service.baseUrl).get(path).set(sampled).set('Authorization', authorization);
    // Each worker has its share of the limit, so it may reject a token earlier.
    const statuses =
      inject('workers') > 1 && status >= 400 && authorization === wrong ? [401, 429] : [status];
    expect(statuses, path).toContain(reply.status);
    const [line] = await readLog(service, reply.headers['x-request-id']);
    expect(line?.['traceId']).toMatch(/^[\da-f]{32}$/);
    expect(line?.['traceId']).not.toBe(traceId);
  }
  const endOutage = await service.database.beginOutage('locked');
  await postPlant(service, plant).set(sampled).set('X-Request-Id', 'accepted').expect(503);
  await endOutage();
  await readSpan('accepted');
  const attributes = { 'error.type': 'database_unavailable', 'http.response.status_code': 503 };
  expect(collector.spans).toMatchObject([
    { traceId, parentSpanId: callerId, status: 'STATUS_CODE_ERROR', attributes },
  ]);
});

/** The samples of metrics in Prometheus' text format, each by its name and labels. */
function readSamples(text: string): Map<string, number> {
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => {
      const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      return [toKey(name, Object.fromEntries(listLabels(labels))), Number(value)];
    }),
  );
}

const listLabels = (text: string) => [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, ...label]) => label);

function toKey(name: string, labels: Readonly<Record<string, unknown>>): string {
  const sorted = Object.entries(labels).toSorted(([a], [b]) => a.localeCompare(b));
  return `${name} ${JSON.stringify(sorted)}`;
}

/** The same of a metric that was received. */
function listSamples({ name, points }: ReceivedMetric): [key: string, value: number | undefined][] {
  return points.flatMap(({ labels, asDouble, count, sum, bucketCounts = [], explicitBounds = [] }) => {
    if (count === undefined) return [[toKey(name, labels), asDouble]];
    const buckets = bucketCounts.map((_, bucket): [string, number] => [
      toKey(`${name}_bucket`, { le: String(explicitBounds[bucket] ?? '+Inf'), ...labels }),
      bucketCounts.slice(0, bucket + 1).reduce((total, own) => total + own),
    ]);
    return [...buckets, [toKey(`${name}_sum`, labels), sum], [toKey(`${name}_count`, labels), count]];
  });
}

it('sends the metrics of /metrics, of all workers together, with the same names, labels and values', async () => {
  const settings = { OTEL_METRICS_EXPORTER: 'otlp', OTEL_METRIC_EXPORT_INTERVAL: '50' };
  const { service, collector } = await startTraced({ ADMIN_PORT: '0', ...settings });
  for (let id = 1; id <= 5; id++) await postPlant(service, { id, name: 'Fern' }).set('Connection', 'close');
  await until(() =>
    collector
      .latest('plant_store_creates_total')
      ?.points.some(({ labels, asDouble }) => labels['outcome'] === 'stored' && asDouble === 5),
  );
  const text = await readMetrics(service);
  const names = [...text.matchAll(/^# TYPE (\w+) (counter|gauge|histogram)$/gm)];
  expect(names.length).toBeGreaterThan(30);
  const kinds = { counter: 'sum', gauge: 'gauge', histogram: 'histogram' };
  for (const [, name = '', type = ''] of names) {
    const metric = collector.latest(name);
    expect(metric, name).toMatchObject({
      name,
      kind: kinds[type as keyof typeof kinds],
      help: expect.stringMatching(/./),
      resource: { 'service.name': 'plant-store' },
    });
    if (type === 'gauge') continue;
    expect(metric?.aggregationTemporality).toBe('AGGREGATION_TEMPORALITY_CUMULATIVE');
    expect(metric?.isMonotonic).toBe(type === 'counter' ? true : undefined);
  }
  const shown = readSamples(text);
  const received = names.flatMap(([, name = '', type]) => {
    const metric = collector.latest(name);
    if (type === 'gauge' || !/^plant_store_(?!process_|sqlite_)/.test(name)) return [];
    return metric === undefined ? [] : listSamples(metric);
  });
  expect(received.length).toBeGreaterThan(50);
  for (const [key, value] of received) expect(value, key).toBe(shown.get(key));
  const begun = collector.metrics.flatMap(({ points }) => points.map((point) => point.startTimeUnixNano));
  expect(new Set(begun).size).toBe(1);
});
