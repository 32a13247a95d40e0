import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseBaseUrl } from './parse-base-url.js';

const rejection = new TypeError(
  'baseUrl must be an absolute http(s) URL, or on a page a path, without credentials, query or fragment',
);

afterEach(() => vi.unstubAllGlobals());

describe('parseBaseUrl', () => {
  it.each([
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://127.0.0.1:3000/', 'http://127.0.0.1:3000'],
    ['https://example.com/api/v1', 'https://example.com/api/v1'],
    ['https://example.com/api/v1//', 'https://example.com/api/v1'],
    ['https://example.com/@plants', 'https://example.com/@plants'],
    ['HTTPS://Example.com:443', 'https://example.com'],
    ['http://[::1]:3000/', 'http://[::1]:3000'],
    [new URL('/api/', 'https://example.com'), 'https://example.com/api'],
  ])('takes %s', (baseUrl, expected) => {
    expect(parseBaseUrl(baseUrl)).toBe(expected);
  });

  it.each([
    '',
    '/',
    '/api',
    'example.com',
    'localhost:3000',
    '//example.com',
    'ftp://example.com',
    'file:///plants',
    'https://example.com?key=1',
    'https://example.com/#plants',
    'https://ada@example.com',
  ])('rejects %j', (baseUrl) => {
    expect(() => parseBaseUrl(baseUrl)).toThrow(rejection);
  });

  it('does not quote a password', () => {
    expect(() => parseBaseUrl('https://ada:lovelace@example.com')).toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.not.stringContaining('lovelace') }),
    );
  });

  describe('on a page', () => {
    it.each([
      ['', 'http://localhost:5173'],
      ['/', 'http://localhost:5173'],
      ['/api', 'http://localhost:5173/api'],
      ['/api/v1/', 'http://localhost:5173/api/v1'],
      ['/@example.com', 'http://localhost:5173/@example.com'],
      ['/\\example.com', 'http://localhost:5173//example.com'],
      ['/../..', 'http://localhost:5173'],
      ['https://example.com/api', 'https://example.com/api'],
    ])('takes %j as %s', (baseUrl, expected) => {
      vi.stubGlobal('location', new URL('http://localhost:5173/plants/?a=1#b'));
      expect(parseBaseUrl(baseUrl)).toBe(expected);
    });

    it.each([
      'api',
      './api',
      '../api',
      '?a=1',
      '#a',
      '/api?a=1',
      '/#a',
      '//example.com',
      'example.com',
      'localhost:3000',
    ])('rejects %j', (baseUrl) => {
      vi.stubGlobal('location', new URL('http://localhost:5173/plants/'));
      expect(() => parseBaseUrl(baseUrl)).toThrow(rejection);
    });

    it.each(['', '/api'])('of a file rejects %j', (baseUrl) => {
      vi.stubGlobal('location', new URL('file:///plants/index.html'));
      expect(() => parseBaseUrl(baseUrl)).toThrow(rejection);
    });
  });
});
