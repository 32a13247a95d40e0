import { errors } from '@plant-store/contract/errors';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { getFile } from '../support/get-file.js';
import { plantRequest } from '../support/post-plant.js';
import { readLog } from '../support/read-log.js';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';
import { writeTestPage } from '../support/write-test-page.js';

const origin = 'https://app.example.com';
const script = '/assets/index-BjGIhLHV.js';
const written = writeTestPage();

let service: TestService;
beforeAll(async () => {
  const limits = { RATE_LIMIT_PER_MINUTE: '1', AUTH_FAILURES_PER_MINUTE: '1' };
  service = await startTestService({ ADMIN_PORT: '0', CORS_ORIGINS: origin, ...limits }, (config) => ({
    ...config,
    pageFolder: written.folder,
  }));
});
afterAll(async () => {
  await service.stop();
  written.remove();
});

const get = (path: string, headers?: Record<string, string>, method?: string) =>
  getFile(service.baseUrl, path, headers, method);

it('has one route in the metrics for all files of a build, whose names are others in the next one', async () => {
  await get('/');
  await get(script);
  await get('/assets/index-C_NqZPfo.css');
  await get('/assets/unknown-00000000.js');
  await get(script, {}, 'DELETE');
  const expected = [
    'plant_store_http_requests_total{method="GET",route="/",status="200",error=""} 1',
    'plant_store_http_requests_total{method="GET",route="/assets/*",status="200",error=""} 2',
    'plant_store_http_requests_total{method="GET",route="other",status="404",error="40400"} 1',
    'plant_store_http_requests_total{method="DELETE",route="/assets/*",status="405",error="40500"} 1',
  ];
  await until(async () => {
    const lines = (await (await fetch(`${service.adminUrl}/metrics`)).text()).split('\n');
    return expected.every((line) => lines.includes(line));
  });
});

it('logs the request for the page, but of its files only what was wrong', async () => {
  await get(script, { 'X-Request-Id': 'script' });
  await get('/', { 'X-Request-Id': 'document' });
  await get(script, { 'X-Request-Id': 'wrong' }, 'DELETE');
  expect(await readLog(service, 'document')).toMatchObject([{ msg: 'request', path: '/', status: 200 }]);
  expect(await readLog(service, 'wrong')).toMatchObject([{ path: script, error: 40500 }]);
  expect(service.logLines.join('')).not.toContain('"requestId":"script"');
});

// Each worker counts for itself.
it.skipIf(inject('workers') > 1)('counts for no limit, and is served once one is reached', async () => {
  const wrong = () => plantRequest({ ...service, token: 'x' }).send('{"id":1,"name":"Fern"}');
  await wrong();
  expect((await wrong()).body).toMatchObject({ error: errors.rate_limited.error });
  for (let request = 0; request < 3; request++) expect((await get('/')).status).toBe(200);
  await plantRequest(service).send('{"id":1,"name":"Fern"}').expect(200);
  await plantRequest(service).send('{"id":2,"name":"Fern"}').expect(429);
  expect((await get(script)).status).toBe(200);
});

it('depends on the origin like every other reply, where pages of other origins may call the service', async () => {
  const { headers } = await get(script, { Origin: origin });
  expect(headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin, Accept-Encoding' });
  expect((await get(script)).headers['vary']).toBe('Origin, Accept-Encoding');
});
