import { createDatabase } from '@plant-store/postgresql-server';
import supertest from 'supertest';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Reply } from '../support/expect-error.js';
import { composePlantRequest } from '../support/post-plant.js';
import { startPostgresql } from '../support/postgresql/start-postgresql.js';
import type { LogLine } from '../support/read-log.js';
import { openConnection } from '../support/send-raw.js';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

async function start(environment: Readonly<Record<string, string>>): Promise<TestService> {
  const service = await startTestService(environment);
  onTestFinished(async () => void (await service.stop()));
  return service;
}

function adminUrlOf({ adminUrl }: Pick<TestService, 'adminUrl'>): string {
  if (adminUrl === undefined) throw new Error('The service has no admin port');
  return adminUrl;
}

/** Sends a probe; the reply's `body` is `undefined` for HEAD. */
function probe(service: TestService, path: string, method: 'get' | 'head' = 'get'): Promise<Reply> {
  return supertest(adminUrlOf(service))[method](path);
}

const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
const live = { status: 200, headers, body: { status: 'live' } };
const ready = { status: 200, headers, body: { status: 'ready' } };
const unavailable = (reason: string) => ({
  status: 503,
  headers: { ...headers, 'retry-after': '1' },
  body: { status: 'unavailable', reason },
});

describe('the admin port', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ ADMIN_PORT: '0' });
  });
  afterAll(() => service.stop());

  it('is separate from the public port, which does not serve its paths', async () => {
    expect(service.adminUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(service.adminUrl).not.toBe(service.baseUrl);
    for (const path of ['/livez', '/readyz']) {
      expect((await supertest(service.baseUrl).get(path)).status).toBe(404);
    }
    expect((await probe(service, '/openapi.json')).status).toBe(404);
  });

  it('reports that the service is live and ready', async () => {
    expect(await probe(service, '/livez')).toMatchObject(live);
    expect(await probe(service, '/readyz')).toMatchObject(ready);
    expect(await probe(service, '/readyz?verbose')).toMatchObject(ready);
    expect((await probe(service, '/readyz')).headers).not.toHaveProperty('retry-after');
  });

  it.each(['/livez', '/readyz'])('answers HEAD %s like GET, without the body', async (path) => {
    const got = await supertest(adminUrlOf(service)).get(path);
    const { status, headers, text } = await supertest(adminUrlOf(service)).head(path);
    expect(status).toBe(got.status);
    expect({ ...headers, date: '' }).toEqual({ ...got.headers, date: '' });
    expect(text ?? '').toBe('');
  });

  it.each(['/', '/metricz', '/livez/', '/Readyz', '/plants', '//livez', '/__proto__', '/%'])(
    'serves nothing under %s',
    async (path) => {
      const body = { error: 40400, message: `Nothing is served under ${path}.` };
      expect(await probe(service, path)).toMatchObject({ status: 404, headers, body });
    },
  );

  it.each(['post', 'put', 'delete', 'options'] as const)('has no method %s', async (method) => {
    const message = `${method.toUpperCase()} is not allowed on /readyz. Use GET or HEAD.`;
    expect(await supertest(adminUrlOf(service))[method]('/readyz')).toMatchObject({
      status: 405,
      headers: { ...headers, allow: 'GET, HEAD' },
      body: { error: 40500, message },
    });
  });
});

describe('the address of the admin port', () => {
  it('is unset by default', async () => {
    expect((await start({})).adminUrl).toBeUndefined();
    expect((await start({ ADMIN_PORT: '', ADMIN_HOST: '0.0.0.0' })).adminUrl).toBeUndefined();
  });

  it('has its own host', async () => {
    const { adminUrl, baseUrl } = await start({ ADMIN_PORT: '0', ADMIN_HOST: '0.0.0.0' });
    expect(adminUrl).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });
});

it('is not ready while another program locks the database, and recovers by itself', async () => {
  const service = await start({ ADMIN_PORT: '0' });
  const readLines = () => service.logLines.map((line): LogLine => JSON.parse(line));

  const endOutage = await service.database.beginOutage('closed');
  onTestFinished(endOutage);
  const replies = await Promise.all([probe(service, '/readyz'), probe(service, '/readyz')]);
  for (const reply of replies) expect(reply).toMatchObject(unavailable('database_unavailable'));
  expect(replies[0]?.body).toEqual({ status: 'unavailable', reason: 'database_unavailable' });
  expect(await probe(service, '/livez')).toMatchObject(live);
  const head = await probe(service, '/readyz', 'head');
  expect({ status: head.status, retryAfter: head.headers['retry-after'] }).toEqual({
    status: 503,
    retryAfter: '1',
  });

  await endOutage();
  const isReady = async () => (await probe(service, '/readyz')).status === 200;
  await until(isReady);
  expect(await probe(service, '/readyz')).toMatchObject(ready);
  expect(readLines()).toMatchObject([
    {
      level: 40,
      msg: 'not ready',
      err: { message: expect.stringContaining('SQLITE_BUSY'), stack: expect.any(String) },
    },
    { level: 30, msg: 'ready' },
  ]);
});

it('is not ready while PostgreSQL is down, and recovers by itself', async () => {
  const server = await startPostgresql();
  onTestFinished(() => server.remove());
  const service = await start({ ADMIN_PORT: '0', DATABASE_URL: await createDatabase(server.url) });
  const isReady = async () => (await probe(service, '/readyz')).status === 200;
  const isNotReady = async () => !(await isReady());
  await until(isReady);

  await server.stop();
  await until(isNotReady);
  const rejected = await probe(service, '/readyz');
  expect(rejected).toMatchObject(unavailable('database_unavailable'));
  expect(Object.keys(rejected.body ?? {})).toEqual(['status', 'reason']);
  expect(await probe(service, '/livez')).toMatchObject(live);

  await server.start();
  await until(isReady);
});

it('stays live but is not ready while the service stops, and closes last', async () => {
  const service = await startTestService({ ADMIN_PORT: '0' });
  const body = '{"id":1,"name":"Monstera"}';
  const running = await openConnection(service.baseUrl);
  const expectation = { 'Content-Length': String(body.length), Expect: '100-continue' };
  running.write(composePlantRequest(service, '', expectation));
  expect(await running.readReply()).toMatchObject({ status: 100 });
  expect(await probe(service, '/readyz')).toMatchObject(ready);

  const stopped = service.stop();
  expect(await probe(service, '/readyz')).toMatchObject(unavailable('shutting_down'));
  expect(await probe(service, '/livez')).toMatchObject(live);
  await expect(openConnection(service.baseUrl)).rejects.toMatchObject({ code: 'ECONNREFUSED' });

  running.write(body);
  expect(await running.readReply()).toMatchObject({ status: 200 });
  expect(await stopped).toBe(true);
  await expect(openConnection(adminUrlOf(service))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
