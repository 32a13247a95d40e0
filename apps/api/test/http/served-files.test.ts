import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { errors } from '@plant-store/contract/errors';
import { describe, expect, inject, it } from 'vitest';
import { readMetrics } from '../support/admin-port.js';
import { expectError } from '../support/expect-error.js';
import { getFile } from '../support/get-file.js';
import { plantRequest } from '../support/post-plant.js';
import { readLog } from '../support/read-log.js';
import { readServedFile } from '../support/read-served-file.js';
import { sendRaw } from '../support/send-raw.js';
import { startTestService, type TestService, useTestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';
import { viewerFolder, viewerPaths } from '../support/viewer-files.js';
import { testPage, writeTestPage } from '../support/write-test-page.js';

const pageFolder = writeTestPage();
const limits = { RATE_LIMIT_PER_MINUTE: '1', AUTH_FAILURES_PER_MINUTE: '1' };
const settings = { ADMIN_PORT: '0', ...limits };
const service = useTestService(settings, (config) => ({ ...config, pageFolder }));

const get = (path: string, headers?: Record<string, string>, method?: string) =>
  getFile(service.baseUrl, path, headers, method);
const getRaw = (path: string, method = 'GET') =>
  sendRaw(service.baseUrl, `${method} ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`);

function decode(content: Buffer, coding: unknown): Buffer {
  if (coding === 'br') return brotliDecompressSync(content);
  return coding === 'gzip' ? gunzipSync(content) : content;
}

const { resolve } = createRequire(import.meta.url);
const script = '/assets/index-BjGIhLHV.js';
const [html, javascript, css] = ['html', 'javascript', 'css'].map((type) => `text/${type}; charset=utf-8`);
const ofPage = (name: keyof typeof testPage) => Buffer.from(testPage[name]);
const ofViewer = (path: string) => readServedFile(viewerFolder + path.replace('/docs/', ''));
const ofPackage = (name: string) => readFileSync(resolve(name));

const files: [path: string, type: string | undefined, content: Buffer][] = [
  ['/', html, ofPage('index.html')],
  ['/add', html, ofPage('index.html')],
  // What it loads is one folder up.
  ['/p/-1', html, Buffer.from(testPage['index.html'].replaceAll('="./', '="../'))],
  ['/icon.svg', 'image/svg+xml', ofPage('icon.svg')],
  [script, javascript, ofPage('assets/index-BjGIhLHV.js')],
  ['/assets/index-C_NqZPfo.css', css, ofPage('assets/index-C_NqZPfo.css')],
  ['/openapi.json', 'application/json; charset=utf-8', ofPackage('@plant-store/contract/openapi.json')],
  ['/docs', html, ofViewer('page-no-client.html')],
  [viewerPaths.swaggerUiScript, javascript, ofPackage('swagger-ui-dist/swagger-ui-bundle.js')],
  [viewerPaths.swaggerUiStyle, css, ofPackage('swagger-ui-dist/swagger-ui.css')],
  [viewerPaths.script, javascript, ofViewer(viewerPaths.script)],
  [viewerPaths.style, css, ofViewer(viewerPaths.style)],
];

/** What lets a browser load and call only what is of this service, run nothing inline, and frame nothing. */
const securityHeaders = {
  ofPage: {
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types plant-store-worker",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  },
  ofDocumentation: {
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  },
};

/** The policy of an error. */
const nothing = "default-src 'none';frame-ancestors 'none'";
const openApiPath = '/openapi.json';

describe.each(files)('%s', (path, type, built) => {
  const isExpected = (content: Buffer) =>
    path === openApiPath
      ? content.toString().replace(service.baseUrl, 'http://127.0.0.1:3000') === built.toString()
      : content.equals(built);
  // It would become larger.
  const isCompressed = path !== '/icon.svg';
  const isHashed = path.includes('/assets/');

  it('is the file of the build, as it is and compressed, each with an entity tag, and needs no token', async () => {
    const replies = [];
    for (const accepted of ['gzip, deflate, br, zstd', 'gzip', 'identity']) {
      const reply = await get(path, { 'Accept-Encoding': accepted });
      expect(reply.status).toBe(200);
      expect(reply.headers).toMatchObject({
        'content-type': type,
        'content-length': String(reply.content.length),
        'x-request-id': expect.stringMatching(/./),
        'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
        ...(/^\/(docs|openapi)/.test(path) ? securityHeaders.ofDocumentation : securityHeaders.ofPage),
      });
      const vary = [
        ...(path === openApiPath ? ['X-Forwarded-Proto', 'X-Forwarded-Prefix'] : []),
        ...(isCompressed ? ['Accept-Encoding'] : []),
      ];
      expect(reply.headers['vary']).toBe(vary.length > 0 ? vary.join(', ') : undefined);
      for (const name of ['set-cookie', 'x-powered-by']) expect(reply.headers).not.toHaveProperty(name);
      expect(isExpected(decode(reply.content, reply.headers['content-encoding']))).toBe(true);
      replies.push(reply);
    }
    expect(replies.map(({ headers }) => headers['content-encoding'])).toEqual(
      isCompressed ? ['br', 'gzip', undefined] : Array(3).fill(undefined),
    );
    expect(new Set(replies.map(({ headers }) => headers['etag'])).size).toBe(isCompressed ? 3 : 1);
    const sizes = replies.map(({ content }) => content.length);
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
  });

  it('is not sent again to a client that has it in this coding', async () => {
    const { headers } = await get(path, { 'Accept-Encoding': 'br' });
    const { etag = '' } = headers as Record<string, string>;
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    const asProxiesChangeIt = [`W/${etag}`, etag.replace(/"$/, '-gzip"'), etag.replace(/"$/, '--br"')];
    for (const known of [etag, ...asProxiesChangeIt, `"x", ${etag}`, '*']) {
      const again = await get(path, { 'Accept-Encoding': 'br', 'If-None-Match': known });
      expect({ known, status: again.status }).toEqual({ known, status: 304 });
      expect(again.content).toHaveLength(0);
      for (const sent of ['etag', 'cache-control', 'vary', 'content-security-policy'])
        expect([sent, again.headers[sent]]).toEqual([sent, headers[sent]]);
      for (const omitted of ['content-type', 'content-length', 'content-encoding'])
        expect(again.headers).not.toHaveProperty(omitted);
    }
    const other = isCompressed ? etag : '"x"';
    expect((await get(path, { 'Accept-Encoding': 'gzip', 'If-None-Match': other })).status).toBe(200);
  });

  it('is the same for HEAD, without its content', async () => {
    const { headers } = await get(path, { 'Accept-Encoding': 'br' });
    const head = await get(path, { 'Accept-Encoding': 'br' }, 'HEAD');
    const changing = { date: expect.any(String), 'x-request-id': expect.any(String) };
    expect([head.status, head.content.length]).toEqual([200, 0]);
    expect(head.headers).toEqual({ ...headers, ...changing });
  });

  it('is served completely, whatever range or time is requested, and to If-Match only if it is what that names', async () => {
    const [now, never] = [Date.now(), 0].map((time) => new Date(time).toUTCString());
    const times = { 'If-Unmodified-Since': `${never}`, 'If-Modified-Since': `${now}` };
    const { etag } = (await get(path)).headers as { etag: string };
    for (const named of [etag, etag.replace(/"$/, '-gzip"'), '*']) {
      const { status, content } = await get(path, { Range: 'bytes=0-1', 'If-Match': named, ...times });
      expect(status).toBe(200);
      expect(isExpected(content)).toBe(true);
    }
    const other = await get(path, { 'If-Match': '"x"', 'If-None-Match': '*' });
    expect(other.status).toBe(412);
    expect(JSON.parse(other.content.toString())).toMatchObject({ error: errors.precondition_failed.error });
    expect(other.headers['content-security-policy']).toBe(nothing);
    expect(other.headers).not.toHaveProperty('etag');
  });

  it.each(['POST', 'OPTIONS'])('has no method %s', async (method) => {
    const reply = await getRaw(path, method);
    expectError(reply, 'method_not_allowed', `${method} is not allowed on ${path}. Use GET or HEAD.`);
    expect(reply.headers).toMatchObject({ allow: 'GET, HEAD', 'content-security-policy': nothing });
  });
});

it.each([
  ['zstd, deflate', undefined],
  ['GZIP', 'gzip'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['gzip;q=0.1, identity', undefined],
  ['identity;q=0, br;q=0.001', 'br'],
  // None is acceptable, so the header is disregarded.
  ['identity;q=0', undefined],
  ['br;q=x, ;;,=', undefined],
])('for Accept-Encoding %j a file has the coding %s', async (accepted, coding) => {
  const { status, headers } = await get(script, { 'Accept-Encoding': accepted });
  expect([status, headers['content-encoding']]).toEqual([200, coding]);
});

/** What is no file of a build: others of its folder, other spellings of its paths, and ways out of it. */
const otherPaths = [
  `/index.html /files.json ${script}.br ${script}.gz ${script}.map ${script}/ // /assets /assets/ /./`,
  '/assets/unknown-00000000.js /Assets/index-BjGIhLHV.js /assets/../icon.svg /assets/../../package.json',
  '/assets/..%2ficon.svg /assets/..\\icon.svg /assets%2Findex-BjGIhLHV.js /assets/%69ndex-BjGIhLHV.js',
  '/assets/%00 /assets/% /assets/%2e%2e/%2e%2e/%2e%2e/etc/passwd /%2e/icon.svg /__proto__ /constructor',
  '/docs/ /Docs /docs/page-client.html /docs/page-no-client.html /docs/files.json /docs/openapi.json',
  '/openapi.json.br /docs/swagger-ui-bundle.js /docs/assets /client.tgz /docs/assets/ /docs/__proto__',
  `/docs/assets/viewer-00000000.js /docs/assets/../../package.json ${viewerPaths.script}.br`,
  `${viewerPaths.script}/ ${viewerPaths.script.replace('/docs/', '/')}`,
  viewerPaths.script.replace('/assets/', '/assets%2F'),
].flatMap((paths) => paths.split(' '));

it.each(otherPaths)('serves nothing else: %s', async (path) => {
  expectError(await getRaw(path), 'not_found', `There is nothing at ${path}.`);
});

it('ignores a query, and accepts an absolute target', async () => {
  for (const target of ['/?utm_source=x&%zz', 'http://plants.example/'])
    expect((await get(target)).content.equals(ofPage('index.html'))).toBe(true);
});

it.each<[address: string, headers: Record<string, string>]>([
  ['http://plants.example.com:8080', { Host: 'plants.example.com:8080' }],
  ['http://[::1]:3000', { Host: '[::1]:3000' }],
  ['https://plants.example.com', { Host: 'plants.example.com', 'X-Forwarded-Proto': 'https' }],
  ['https://plants.example.com', { Host: 'plants.example.com:443', 'X-Forwarded-Proto': 'https, http' }],
  ['http://plants.example.com', { Host: 'plants.example.com', 'X-Forwarded-Proto': 'httpsx' }],
  ['http://a/shop/plants', { Host: 'a', 'X-Forwarded-Prefix': '/shop/plants' }],
  ...['//evil.example', '/a/../b?', '/a"', 'shop', '/'].map(
    (prefix) => ['http://a', { Host: 'a', 'X-Forwarded-Prefix': prefix }] as [string, Record<string, string>],
  ),
  ['http://a', { Host: 'a', 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example' }],
  ['http://127.0.0.1:3000', { Host: 'a:99999' }],
])('names %s as the server in the OpenAPI document that is requested with %j', async (address, headers) => {
  const { content, headers: sent } = await get(openApiPath, headers);
  expect(JSON.parse(content.toString()).servers).toEqual([{ url: address, description: 'Plant Store' }]);
  const again = await get(openApiPath, { ...headers, 'If-None-Match': `${sent['etag']}` });
  expect(again.status).toBe(304);
});

it('gives each address its own document, and spends little on more than a service has', async () => {
  const read = async (host: string) => {
    const { content, headers } = await get(openApiPath, { Host: host, 'Accept-Encoding': 'br' });
    const { servers } = JSON.parse(decode(content, headers['content-encoding']).toString());
    expect(servers[0].url).toBe(`http://${host}`);
    return content.length;
  };
  const known = await read(new URL(service.baseUrl).host);
  for (let index = 0; index < 20; index++) await read(`h${index}`);
  // Compressed fast, and so less.
  expect(await read('another')).toBeGreaterThan(1.1 * known);
  expect(await read(new URL(service.baseUrl).host)).toBe(known);
});

it('has one route in the metrics for all files of a build, whose names are others in the next one', async () => {
  await get('/assets/unknown-00000000.js');
  const counted = (method: string, route: string, status: number, error = '') => {
    const labels = `method="${method}",route="${route}",status="${status}",error="${error}"`;
    return new RegExp(`^plant_store_http_requests_total\\{${labels}\\} \\d`, 'm');
  };
  const expected = [
    counted('GET', '/', 200),
    counted('GET', '/assets/\\*', 200),
    counted('GET', '/docs/assets/\\*', 200),
    counted('GET', 'other', 404, '40400'),
    counted('POST', '/assets/\\*', 405, '40500'),
  ];
  await until(async () => {
    const text = await readMetrics(service);
    return expected.every((line) => line.test(text));
  });
  expect(await readMetrics(service)).not.toMatch(/BjGIhLHV|viewer-|-00000000/);
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

it('leaves out the page with PAGE=off, and the link to it', async () => {
  const without = await startTestService({ PAGE: 'off' });
  const linked = async ({ baseUrl }: TestService) =>
    (await getFile(baseUrl, '/docs')).content.includes('<a href="./">Add plants');
  expect([await linked(service), await linked(without)]).toEqual([true, false]);
  for (const [path] of files.slice(0, 6)) expect((await getFile(without.baseUrl, path)).status).toBe(404);
});

it('says in the document how people sign in, and lets the page call the identity provider alone', async () => {
  const { baseUrl } = await startTestService(
    {
      JWT_ISSUER: 'https://id.example.com/a?b=<"',
      JWT_AUDIENCE: 'plants',
      JWT_JWKS_URL: 'http://127.0.0.1:9/jwks',
      JWT_CLIENT_ID: 'page',
      JWT_CLIENT_ORIGINS: 'https://auth.example.com, https://b.example.com:8443',
    },
    (config) => ({ ...config, pageFolder }),
  );
  for (const path of ['/', '/p/1']) {
    const { headers, content } = await getFile(baseUrl, path);
    expect(headers['content-security-policy']).toContain(
      "; connect-src 'self' https://id.example.com https://auth.example.com https://b.example.com:8443; ",
    );
    const [, meta = ''] = /<meta name="sign-in" content="([^"]+)">/.exec(content.toString()) ?? [];
    expect(JSON.parse(meta.replaceAll('&quot;', '"').replaceAll('&lt;', '<'))).toEqual({
      issuer: 'https://id.example.com/a?b=<"',
      audience: 'plants',
      clientId: 'page',
      scope: 'openid plants:create plants:read plants:update plants:delete',
    });
  }
});
