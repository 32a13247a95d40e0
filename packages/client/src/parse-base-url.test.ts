import { describe, expect, it } from 'vitest';
import { parseBaseUrl } from './parse-base-url.js';

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
    expect(() => parseBaseUrl(baseUrl)).toThrow(
      new TypeError('baseUrl must be an http(s) URL without credentials, query or fragment'),
    );
  });

  it('does not quote a password', () => {
    expect(() => parseBaseUrl('https://ada:lovelace@example.com')).toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.not.stringContaining('lovelace') }),
    );
  });
});
