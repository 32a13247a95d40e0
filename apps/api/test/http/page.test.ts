import supertest from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { getFile } from '../support/get-file.js';
import { plantRequest } from '../support/post-plant.js';
import { sendRaw } from '../support/send-raw.js';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { testPage, writeTestPage } from '../support/write-test-page.js';

const script = '/assets/index-BjGIhLHV.js';
const files = [
  { path: '/', name: 'index.html', type: 'text/html; charset=utf-8' },
  { path: '/icon.svg', name: 'icon.svg', type: 'image/svg+xml' },
  { path: script, name: 'assets/index-BjGIhLHV.js', type: 'text/javascript; charset=utf-8' },
  { path: '/assets/index-C_NqZPfo.css', name: 'assets/index-C_NqZPfo.css', type: 'text/css; charset=utf-8' },
] as const;
const sourceOf = (name: keyof typeof testPage) => Buffer.from(testPage[name]);

const written = writeTestPage();

let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, (config) => ({ ...config, pageFolder: written.folder }));
});
afterAll(async () => {
  await service.stop();
  written.remove();
});

const get = (path: string, headers?: Record<string, string>, method?: string) =>
  getFile(service.baseUrl, path, headers, method);

describe.each(files)('$path', ({ path, name, type }) => {
  const isHashed = path.startsWith('/assets/');

  it('is the file of the build, and needs no token', async () => {
    const { status, headers, content } = await get(path);
    expect(status).toBe(200);
    expect(content.equals(sourceOf(name))).toBe(true);
    expect(headers['content-type']).toBe(type);
    expect(headers['content-length']).toBe(String(content.length));
    expect(headers).not.toHaveProperty('content-encoding');
  });

  it('lets a browser load and call only what is of this service, run nothing inline, and frame nothing', async () => {
    const { headers } = await get(path);
    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types plant-store-worker",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy':
        'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
      'x-request-id': expect.stringMatching(/./),
    });
    expect(headers).not.toHaveProperty('set-cookie');
    expect(headers).not.toHaveProperty('x-powered-by');
  });

  it(isHashed ? 'is cached forever' : 'is asked for each time', async () => {
    const { headers } = await get(path);
    expect(headers['cache-control']).toBe(isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
  });

  it('is not sent again to a client that has it', async () => {
    const { headers } = await get(path, { 'Accept-Encoding': 'br' });
    const { etag = '' } = headers as Record<string, string>;
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await get(path, { 'Accept-Encoding': 'br', 'If-None-Match': known });
      expect({ known, status: again.status }).toEqual({ known, status: 304 });
      expect(again.content).toHaveLength(0);
      for (const sent of ['etag', 'cache-control', 'vary', 'content-security-policy'])
        expect([sent, again.headers[sent]]).toEqual([sent, headers[sent]]);
      for (const omitted of ['content-type', 'content-length', 'content-encoding'])
        expect(again.headers).not.toHaveProperty(omitted);
    }
    expect((await get(path, { 'If-None-Match': '"x"' })).status).toBe(200);
  });

  it('is the same for HEAD, without its content', async () => {
    for (const encoding of ['br', 'identity']) {
      const { headers } = await get(path, { 'Accept-Encoding': encoding });
      const head = await get(path, { 'Accept-Encoding': encoding }, 'HEAD');
      const changing = { date: expect.any(String), 'x-request-id': expect.any(String) };
      expect(head.status).toBe(200);
      expect(head.headers).toEqual({ ...headers, ...changing });
      expect(head.content).toHaveLength(0);
    }
  });

  it('is served completely, whatever range is requested', async () => {
    const { status, content } = await get(path, { Range: 'bytes=0-1', 'If-Match': '"x"' });
    expect(status).toBe(200);
    expect(content.equals(sourceOf(name))).toBe(true);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('has no method %s', async (method) => {
    const sent = `${method} ${path} HTTP/1.1\r\nHost: plants.example\r\nContent-Length: 0\r\n\r\n`;
    const reply = await sendRaw(service.baseUrl, sent);
    expectError(reply, 'method_not_allowed', `${method} is not allowed on ${path}. Use GET or HEAD.`);
    expect(reply.headers['allow']).toBe('GET, HEAD');
    expect(reply.headers['content-security-policy']).toBe("default-src 'none';frame-ancestors 'none'");
  });
});

describe('nothing else', () => {
  it.each([
    '/index.html',
    '/files.json',
    `${script}.br`,
    `${script}.gz`,
    `${script}.map`,
    `${script}/`,
    '//',
    '/assets',
    '/assets/',
    '/assets/unknown-00000000.js',
    '/Assets/index-BjGIhLHV.js',
    '/assets/../icon.svg',
    '/assets/../../package.json',
    '/assets/..%2ficon.svg',
    '/assets%2Findex-BjGIhLHV.js',
    '/assets/%69ndex-BjGIhLHV.js',
    '/assets/%2e%2e/%2e%2e/%2e%2e/etc/passwd',
    '/assets/..\\icon.svg',
    '/assets/%00',
    '/assets/%',
    '/%2e/icon.svg',
    '/./',
    '/__proto__',
    '/constructor',
  ])('is served: %s', async (path) => {
    const reply = await sendRaw(service.baseUrl, `GET ${path} HTTP/1.1\r\nHost: plants.example\r\n\r\n`);
    expectError(reply, 'not_found', `Nothing is served under ${path}.`);
  });
});

it('ignores a query, and accepts an absolute target', async () => {
  const { content } = await get('/?utm_source=x&%zz');
  expect(content.equals(sourceOf('index.html'))).toBe(true);
  const absolute = await get('http://plants.example/');
  expect(absolute.content.equals(content)).toBe(true);
});

it('leaves what else is served as it was', async () => {
  expect((await get('/docs')).content.toString()).toContain('<a href="/">Add plants');
  expect((await get('/openapi.json')).headers['content-type']).toContain('application/json');
  await plantRequest(service).send('{"id":1,"name":"Fern"}').expect(200);
});

it('is not served with PAGE=off', async () => {
  const without = await startTestService({ PAGE: 'off' });
  try {
    expect((await supertest(without.baseUrl).get('/docs')).text).not.toContain('href="/"');
    for (const { path } of files) {
      const reply = await supertest(without.baseUrl).get(path);
      expectError(reply, 'not_found', `Nothing is served under ${path}.`);
    }
  } finally {
    await without.stop();
  }
});
