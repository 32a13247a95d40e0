import supertest from 'supertest';
import { expect, it, vi } from 'vitest';
import { createAdminServer, type ReadableMetrics } from '../../src/admin-port.js';
import { listen } from '../support/listen.js';
import { silentLog } from '../support/open-app.js';
import { composePlantRequest } from '../support/post-plant.js';
import { openConnection } from '../support/send-raw.js';
import { useTestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

const service = useTestService({ ADMIN_PORT: '0' });
const admin = () => supertest(service.adminUrl ?? '');
const probe = (path: string) => admin().get(path);

const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
const live = { status: 200, headers, body: { status: 'live' } };
const ready = { status: 200, headers, body: { status: 'ready' } };
const unavailable = (reason: string) => ({
  status: 503,
  headers: { ...headers, 'retry-after': '1' },
  body: { status: 'unavailable', reason },
});

it('is separate from the public port, which does not serve its paths', async () => {
  expect(service.adminUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(service.adminUrl).not.toBe(service.baseUrl);
  for (const path of ['/livez', '/readyz'])
    expect((await supertest(service.baseUrl).get(path)).status).toBe(404);
  expect((await probe('/openapi.json')).status).toBe(404);
});

it('reports that the service is live and ready', async () => {
  expect(await probe('/livez')).toMatchObject(live);
  expect(await probe('/readyz')).toMatchObject(ready);
  expect(await probe('/readyz?verbose')).toMatchObject(ready);
  expect((await probe('/readyz')).headers).not.toHaveProperty('retry-after');
});

it.each(['/livez', '/readyz'])('answers HEAD %s like GET, without the body', async (path) => {
  const got = await probe(path);
  const head = await admin().head(path);
  expect(head.status).toBe(got.status);
  expect({ ...head.headers, date: '' }).toEqual({ ...got.headers, date: '' });
  expect(head.text ?? '').toBe('');
});

it.each(['/', '/metricz', '/livez/', '/Readyz', '/plants', '//livez', '/__proto__', '/%'])(
  'serves nothing under %s',
  async (path) => {
    const body = { error: 40400, message: `There is nothing at ${path}.` };
    expect(await probe(path)).toMatchObject({ status: 404, headers, body });
  },
);

it.each(['post', 'put', 'delete', 'options'] as const)('has no method %s', async (method) => {
  const message = `${method.toUpperCase()} is not allowed on /readyz. Use GET or HEAD.`;
  expect(await admin()[method]('/readyz')).toMatchObject({
    status: 405,
    headers: { ...headers, allow: 'GET, HEAD' },
    body: { error: 40500, message },
  });
});

it('stays live but is not ready while the service stops, and closes last', async () => {
  const body = '{"id":1,"name":"Monstera"}';
  const running = await openConnection(service.baseUrl);
  const expectation = { 'Content-Length': String(body.length), Expect: '100-continue' };
  running.write(composePlantRequest(service, '', expectation));
  expect(await running.readReply()).toMatchObject({ status: 100 });

  const stopped = service.stop();
  expect(await probe('/readyz')).toMatchObject(unavailable('shutting_down'));
  expect((await probe('/metrics')).text).toMatch(/^plant_store_ready 0$/m);
  expect(await probe('/livez')).toMatchObject(live);
  await expect(openConnection(service.baseUrl)).rejects.toMatchObject({ code: 'ECONNREFUSED' });

  running.write(body);
  expect(await running.readReply()).toMatchObject({ status: 200 });
  expect(await stopped).toBe(true);
  await expect(openConnection(`${service.adminUrl}`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

/** Starts an admin server without a service. */
async function startServer(metrics?: ReadableMetrics) {
  const readiness = async () => ({ ready: true, warnings: [] }) as const;
  const server = createAdminServer({ readiness, metrics, log: silentLog });
  return { server, url: await listen(server) };
}

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: plants.example\r\n\r\n`;

it('has the documented time limits, and ends requests that exceed them', async () => {
  const { server, url } = await startServer();
  const timeouts = { headersTimeout: 5_000, requestTimeout: 10_000, timeout: 10_000 };
  expect(server).toMatchObject({ ...timeouts, connectionsCheckingInterval: 1_000 });
  server.headersTimeout = 100;
  const unfinished = ['', 'GET /livez HTTP/1.1\r\nHost:'].map(async (bytes) => {
    const connection = await openConnection(url);
    connection.write(bytes);
    return connection.readToEnd();
  });
  for (const reply of unfinished) expect(await reply).toMatch(/^HTTP\/1\.1 408 /);
});

it('serves one request after the other on a connection, and closes it where one does not await its reply', async () => {
  const collected = Promise.withResolvers<string>();
  const metrics = vi.fn<() => Promise<string>>(() => collected.promise);
  const { url } = await startServer({ contentType: 'text/plain', metrics });
  const connection = await openConnection(url);
  for (let count = 0; count < 3; count++) {
    connection.write(request('/livez'));
    expect(await connection.readReply()).toMatchObject({ status: 200, body: { status: 'live' } });
  }
  connection.write(request('/metrics').repeat(200));
  expect(await connection.readToEnd()).toBe('');
  expect(metrics).toHaveBeenCalledTimes(1);
  collected.resolve('metric 1\n');
});

it('collects the metrics once for all scrapes at the same time', async () => {
  const collected: (() => void)[] = [];
  const metrics = () =>
    new Promise<string>((resolve) => {
      const text = `metric ${collected.length}\n`;
      collected.push(() => resolve(text));
    });
  const { server, url } = await startServer({ contentType: 'text/plain', metrics });
  const scrape = async () => (await fetch(`${url}/metrics`)).text();
  let requests = 0;
  server.on('request', () => requests++);
  const scrapes = [scrape(), scrape(), scrape()];
  await until(() => requests === scrapes.length);
  collected[0]?.();
  expect(await Promise.all(scrapes)).toEqual(['metric 0\n', 'metric 0\n', 'metric 0\n']);
  const later = scrape();
  await until(() => collected.length === 2);
  collected[1]?.();
  expect(await later).toBe('metric 1\n');
});

it('closes connections beyond the documented number, and serves others once some have ended', async () => {
  const { server, url } = await startServer();
  // On a slow machine none ends before the others are open.
  Object.assign(server, { headersTimeout: 0, requestTimeout: 0, timeout: 0 });
  const documented = 64;
  const open = await Promise.all(Array.from({ length: documented }, () => openConnection(url)));
  const isLive = async () => (await fetch(`${url}/livez`).catch(() => undefined))?.ok ?? false;
  expect(await isLive()).toBe(false);
  open[0]?.destroy();
  await until(isLive);
  for (const connection of open) connection.destroy();
});
