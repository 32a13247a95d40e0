import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { normalizeTarget } from '../../src/http/middleware/request-head.js';

/** The request with this target, once it is normalized. */
function normalize(url: string): { readonly url: string; readonly invalidTarget?: boolean } {
  const request = { url };
  normalizeTarget(request as IncomingMessage);
  return request;
}

it('leaves a path as it is, and the request without another property', () => {
  expect(normalize('/plants?a=1')).toStrictEqual({ url: '/plants?a=1' });
});

it.each([
  ['/plants#section', '/plants'],
  ['/plants?a=1#a#b', '/plants?a=1'],
  ['http://localhost/plants?a=1', '/plants?a=1'],
  ['HTTPS://localhost:8080/plants#a', '/plants'],
  ['http://localhost', '/'],
  ['http://localhost?a=1', '/?a=1'],
  ['*', '/*'],
])('takes %s for the path %s', (target, path) => {
  expect(normalize(target)).toStrictEqual({ url: path, invalidTarget: false });
});

it.each([
  '1http://localhost/plants',
  'xhttp://localhost/plants',
  'httpx://localhost/plants',
  'http://user@localhost/plants',
  'http:///plants',
  'plants',
  '',
])('finds "%s" invalid', (target) => {
  expect(normalize(target)).toMatchObject({ invalidTarget: true });
});
