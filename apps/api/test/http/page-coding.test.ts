import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { getFile } from '../support/get-file.js';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { testPage, writeTestPage } from '../support/write-test-page.js';

const script = '/assets/index-BjGIhLHV.js';
const source = Buffer.from(testPage['assets/index-BjGIhLHV.js']);
const written = writeTestPage();

let service: TestService;
beforeAll(async () => {
  const change: Parameters<typeof startTestService>[1] = (config) => ({
    ...config,
    pageFolder: written.folder,
  });
  service = await startTestService({ CORS_ORIGINS: 'https://app.example.com' }, change);
});
afterAll(async () => {
  await service.stop();
  written.remove();
});

/** Requests the script, or another file, with this `Accept-Encoding`. */
const get = (accepted?: string, path = script) =>
  getFile(service.baseUrl, path, accepted === undefined ? {} : { 'Accept-Encoding': accepted });

const decoders: Record<string, (content: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
};

it.each([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['zstd, deflate', undefined],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['br;q=0.5, gzip', 'gzip'],
  ['gzip;q=0.1', 'gzip'],
  ['gzip;q=0.1, identity', undefined],
  ['gzip;q=0, br;q=0', undefined],
  ['gzip, identity;q=0', 'gzip'],
  ['identity;q=0, br;q=0.001', 'br'],
  // None is acceptable, so the header is disregarded.
  ['identity;q=0', undefined],
  ['*;q=0', undefined],
  ['br;q=x, ;;,=', undefined],
])('for Accept-Encoding %j the page has the coding %s', async (accepted, coding) => {
  const { status, headers, content } = await get(accepted);
  expect(status).toBe(200);
  expect(headers['content-encoding']).toBe(coding);
  expect(headers['vary']).toBe('Origin, Accept-Encoding');
  expect(headers['content-length']).toBe(String(content.length));
  expect((decoders[coding ?? ''] ?? ((same: Buffer) => same))(content).equals(source)).toBe(true);
});

it('gives each representation an entity tag of its own', async () => {
  const tags = await Promise.all(
    ['br', 'gzip', 'identity'].map(async (coding) => (await get(coding)).headers['etag']),
  );
  expect(new Set(tags).size).toBe(3);
});

it('has no coding for a file that would become larger', async () => {
  const { headers } = await get('gzip', '/icon.svg');
  expect(headers).not.toHaveProperty('content-encoding');
});
