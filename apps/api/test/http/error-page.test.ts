import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { errors } from '@plant-store/contract/errors';
import { expect, it } from 'vitest';
import { overloadErrors } from '../../src/errors/service-error.js';
import { getFile } from '../support/get-file.js';
import { serveMiddleware } from '../support/serve-middleware.js';
import { startTestService, useTestService } from '../support/start-test-service.js';
import { writeTestPage } from '../support/write-test-page.js';

const pageFolder = writeTestPage();
const service = useTestService({}, (config) => ({ ...config, pageFolder }));

/** What browsers send for an address that somebody types or opens. */
const browsers = {
  Chromium:
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
  Firefox: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  Lynx: 'text/html, text/plain, text/sgml, text/css, application/xhtml+xml, */*;q=0.01',
};
const navigation = { Accept: browsers.Firefox, 'Sec-Fetch-Mode': 'navigate' };

async function open(path: string, headers: Record<string, string> = navigation, method = 'GET') {
  const reply = await getFile(service.baseUrl, path, headers, method);
  return { ...reply, text: reply.content.toString() };
}

it.each(Object.entries(browsers))('shows %s a page at a wrong address', async (_, accept) => {
  const { status, headers, text } = await open('/whatever', { Accept: accept });
  expect(status).toBe(404);
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    vary: 'Accept, Sec-Fetch-Mode',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-request-id': expect.stringMatching(/./),
  });
  expect(text).toContain('<h1>There is no page at this address</h1>');
  expect(text).toContain('404: There is nothing at /whatever.');
});

it.each([
  ['/plants', './'],
  ['/plants/', '../'],
  ['/a/b/c', '../../'],
])('links from %s to the page by %s, whatever prefix a proxy strips', async (path, link) => {
  expect((await open(path)).text).toContain(`<a href="${link}">Open the plant store</a>`);
});

it('explains the addresses of the API, with the status and headers that a program gets', async () => {
  const list = await open('/plants');
  expect([list.status, list.headers['www-authenticate']]).toEqual([401, 'Bearer realm="plant-store"']);
  expect(list.text).toContain('<h1>This address is for programs</h1>');
  expect(list.text).toContain('Authorization: Bearer &lt;ACCESS_TOKEN>.');
  const batch = await open('/plants/batch/get');
  expect([batch.status, batch.headers['allow']]).toEqual([405, 'POST']);
});

it('runs nothing that an address contains, and no style but its own', async () => {
  const { headers, text } = await open('/a');
  const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(text) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  expect(headers['content-security-policy']).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  const shown = (await open('/<script>alert("1")</script>&amp;')).text;
  expect(shown).toContain('/&lt;script>alert(&quot;1&quot;)&lt;/script>&amp;amp;');
  expect(shown).not.toContain('<script');
});

it('has the colors of the page', async () => {
  const tokens = readFileSync(new URL('../../../web/src/styles/tokens.css', import.meta.url), 'utf8');
  const colors = (await open('/a')).text.match(/light-dark\([^)]+\)/g) ?? [];
  expect(colors.length).toBeGreaterThan(3);
  expect(colors.filter((color) => !tokens.includes(color))).toEqual([]);
});

it('links to the document of the API where there is no page', async () => {
  const { baseUrl } = await startTestService({ PAGE: 'off' });
  const { content } = await getFile(baseUrl, '/a/b', navigation);
  expect(content.toString()).toContain('<a href="../docs">Read about the API</a>');
});

it('asks to wait where the service is what is wrong', async () => {
  const { client } = serveMiddleware(() => {
    throw overloadErrors.waiting_plants;
  });
  const { text, headers } = await client.get('/').set(navigation).expect(503);
  expect(text).toContain('<h1>The plant store cannot reply right now</h1>');
  expect(headers['retry-after']).toBe('1');
});

it.each<[string, Record<string, string>, string?]>([
  ['that names no type', {}],
  ['on axios', { Accept: 'application/json, text/plain, */*' }],
  ['on HttpURLConnection of Java', { Accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2' }],
  ['that prefers JSON', { Accept: `application/json,${browsers.Firefox.replace('html', 'html;q=0.9')}` }],
  ['that sends a token', { ...navigation, Authorization: 'Bearer x' }],
  ['that is a script of a page', { ...navigation, 'Sec-Fetch-Mode': 'cors' }],
  ['that sends anything', { ...navigation, 'Content-Length': '0' }, 'POST'],
])('sends an Error body to a program %s', async (_, headers, method) => {
  const { headers: sent, text } = await open('/whatever', headers, method);
  expect(sent['content-type']).toBe('application/json; charset=utf-8');
  expect(JSON.parse(text)).toEqual({
    error: errors.not_found.error,
    message: 'There is nothing at /whatever.',
  });
  const mayBeShown = headers['Authorization'] === undefined && method === undefined;
  expect(sent['vary']).toBe(mayBeShown ? 'Accept, Sec-Fetch-Mode' : undefined);
});
