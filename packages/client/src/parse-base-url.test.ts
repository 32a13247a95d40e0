import { afterEach, expect, it, vi } from 'vitest';
import { parseBaseUrl } from './parse-base-url.js';

afterEach(() => vi.unstubAllGlobals());

const page = 'http://localhost:5173/plants/?a=1#b';

it.each([
  [undefined, 'http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
  [undefined, 'http://[::1]:3000/', 'http://[::1]:3000'],
  [undefined, 'https://example.com/api/v1', 'https://example.com/api/v1'],
  [undefined, 'https://example.com/api/v1//', 'https://example.com/api/v1'],
  [undefined, 'https://example.com/@plants', 'https://example.com/@plants'],
  [undefined, 'HTTPS://Example.com:443', 'https://example.com'],
  [undefined, new URL('/api/', 'https://example.com'), 'https://example.com/api'],
  [page, '', 'http://localhost:5173'],
  [page, '/', 'http://localhost:5173'],
  [page, '/api/v1/', 'http://localhost:5173/api/v1'],
  [page, '/@example.com', 'http://localhost:5173/@example.com'],
  [page, '/\\example.com', 'http://localhost:5173//example.com'],
  [page, '/../..', 'http://localhost:5173'],
  [page, 'https://example.com/api', 'https://example.com/api'],
])('on the page %s takes %s as %s', (location, baseUrl, expected) => {
  vi.stubGlobal('location', location && new URL(location));
  expect(parseBaseUrl(baseUrl)).toBe(expected);
});

const neverTaken = [
  'example.com',
  'localhost:3000',
  '//example.com',
  'ftp://example.com',
  'file:///plants',
  '/api?a=1',
  'https://example.com?key=1',
  'https://example.com/#plants',
  'https://ada:lovelace@example.com',
];

it.each([
  [undefined, [...neverTaken, '', '/', '/api']],
  ['file:///plants/index.html', [...neverTaken, '', '/api']],
  [page, [...neverTaken, 'api', './api', '../api', '?a=1', '#a', '/#a']],
])('on the page %s rejects any other, without quoting it: %j', (location, baseUrls) => {
  vi.stubGlobal('location', location && new URL(location));
  const message = 'baseUrl must be an http(s) URL or path, without user, query, or hash';
  for (const baseUrl of baseUrls)
    expect(() => parseBaseUrl(baseUrl), baseUrl).toThrow(new TypeError(message));
});
