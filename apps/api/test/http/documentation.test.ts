import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { getFile } from '../support/get-file.js';
import { sendRaw } from '../support/send-raw.js';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';
import { viewerFolder, viewerPaths } from '../support/viewer-files.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ADMIN_PORT: '0' });
});
afterAll(() => service.stop());

const get = (path: string, headers?: Record<string, string>, method?: string) =>
  getFile(service.baseUrl, path, headers, method);

const { resolve } = createRequire(import.meta.url);
const swaggerUi = (name: string) => readFileSync(resolve(`swagger-ui-dist/${name}`));
const written = (name: string) => readFileSync(viewerFolder + name);

const [html, json, script, style] = ['text/html', 'application/json', 'text/javascript', 'text/css'];
const files = [
  {
    path: '/openapi.json',
    type: json,
    content: readFileSync(resolve('@plant-store/contract/openapi.json')),
  },
  { path: '/docs', type: html, content: written('no-page-no-client.html') },
  { path: viewerPaths.swaggerUiScript, type: script, content: swaggerUi('swagger-ui-bundle.js') },
  { path: viewerPaths.swaggerUiStyle, type: style, content: swaggerUi('swagger-ui.css') },
  { path: viewerPaths.script, type: script, content: written(viewerPaths.script.slice('/docs/'.length)) },
  { path: viewerPaths.style, type: style, content: written(viewerPaths.style.slice('/docs/'.length)) },
] as const;

describe.each(files)('$path', ({ path, type, content: expected }) => {
  it('is the file of the build, and needs no token', async () => {
    const { status, headers, content } = await get(path);
    expect(status).toBe(200);
    expect(content.equals(expected)).toBe(true);
    expect(headers).toMatchObject({
      'content-type': `${type}; charset=utf-8`,
      'content-length': String(expected.length),
      'x-request-id': expect.stringMatching(/./),
      vary: 'Accept-Encoding',
    });
    expect(headers).not.toHaveProperty('content-encoding');
  });

  it('is sent compressed to a client that accepts that, with an entity tag for each coding', async () => {
    const [plain, br, gzip] = await Promise.all([
      get(path),
      get(path, { 'Accept-Encoding': 'gzip, deflate, br, zstd' }),
      get(path, { 'Accept-Encoding': 'gzip' }),
    ]);
    expect([br.headers['content-encoding'], gzip.headers['content-encoding']]).toEqual(['br', 'gzip']);
    expect(brotliDecompressSync(br.content).equals(expected)).toBe(true);
    expect(gunzipSync(gzip.content).equals(expected)).toBe(true);
    expect(br.content.length).toBeLessThan(gzip.content.length);
    expect(gzip.content.length).toBeLessThan(plain.content.length);
    expect(new Set([plain, br, gzip].map(({ headers }) => headers['etag'])).size).toBe(3);
  });

  const isHashed = path.startsWith('/docs/assets/');
  it(isHashed ? 'is cached forever' : 'is asked for each time', async () => {
    const { headers } = await get(path);
    expect(headers['cache-control']).toBe(isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
  });

  it('is not sent again to a client that has it', async () => {
    const { headers } = await get(path, { 'Accept-Encoding': 'br' });
    const again = await get(path, { 'Accept-Encoding': 'br', 'If-None-Match': String(headers['etag']) });
    expect(again.status).toBe(304);
    expect(again.content).toHaveLength(0);
    expect(again.headers['etag']).toBe(headers['etag']);
    // The client has it in another coding.
    const other = await get(path, { 'Accept-Encoding': 'gzip', 'If-None-Match': String(headers['etag']) });
    expect(other.status).toBe(200);
  });

  it('is the same for HEAD, without its content', async () => {
    const [{ headers }, head] = [await get(path), await get(path, {}, 'HEAD')];
    const changing = { date: expect.any(String), 'x-request-id': expect.any(String) };
    expect(head.status).toBe(200);
    expect(head.headers).toEqual({ ...headers, ...changing });
    expect(head.content).toHaveLength(0);
  });

  it('is served completely, whatever range or version is requested', async () => {
    const conditions = { 'If-Match': '"x"', 'If-Unmodified-Since': new Date(0).toUTCString() };
    const { status, content } = await get(path, { Range: 'bytes=999999999-', ...conditions });
    expect(status).toBe(200);
    expect(content.equals(expected)).toBe(true);
  });

  it('lets a browser load and call only what is of this service, run nothing inline, and frame nothing', async () => {
    const { headers } = await get(path);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('has no method %s', async (method) => {
    const sent = `${method} ${path} HTTP/1.1\r\nHost: plants.example\r\nContent-Length: 0\r\n\r\n`;
    const reply = await sendRaw(service.baseUrl, sent);
    expectError(reply, 'method_not_allowed', `${method} is not allowed on ${path}. Use GET or HEAD.`);
    expect(reply.headers['allow']).toBe('GET, HEAD');
  });
});

it.each([
  '/docs/',
  '/Docs',
  '/docs/page-client.html',
  '/docs/no-page-no-client.html',
  '/docs/files.json',
  '/docs/openapi.json',
  '/openapi.json.br',
  '/docs/swagger-ui-bundle.js',
  '/docs/assets',
  '/docs/assets/',
  '/docs/assets/viewer-00000000.js',
  `${viewerPaths.script}.br`,
  `${viewerPaths.script}/`,
  viewerPaths.script.replace('/assets/', '/assets%2F'),
  viewerPaths.script.replace('/docs/', '/'),
  '/docs/assets/../../package.json',
  '/docs/__proto__',
])('serves nothing else: %s', async (path) => {
  const reply = await sendRaw(service.baseUrl, `GET ${path} HTTP/1.1\r\nHost: plants.example\r\n\r\n`);
  expectError(reply, 'not_found', `Nothing is served under ${path}.`);
});

it('lists the operations in the document itself, for people who wait for the rest', async () => {
  const { content } = await get('/docs');
  const openapi = JSON.parse((await get('/openapi.json')).content.toString()) as {
    readonly paths: Readonly<Record<string, object>>;
  };
  const expected = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `<b>${method.toUpperCase()}</b> <code>${path}</code>`),
  );
  expect(expected).toContain('<b>POST</b> <code>/plants</code>');
  expect(expected.filter((operation) => !content.includes(operation))).toEqual([]);
});

it('has one route in the metrics for all files of a build, whose names are others in the next one', async () => {
  await get(viewerPaths.script);
  await get('/docs/assets/unknown-00000000.js');
  await until(async () => {
    const text = await (await fetch(`${service.adminUrl}/metrics`)).text();
    return (
      /^plant_store_http_requests_total\{method="GET",route="\/docs\/assets\/\*",status="200",error=""\} \d/m.test(
        text,
      ) && !text.includes(viewerPaths.script)
    );
  });
});
