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

it.each<[target: string, path: string, isInvalid: boolean]>([
  ['/plants#section', '/plants', true],
  ['/plants?a=1#a#b', '/plants?a=1', true],
  ['http://localhost/plants?a=1', '/plants?a=1', false],
  ['HTTPS://localhost:8080/plants', '/plants', false],
  ['HTTPS://localhost:8080/plants#a', '/plants', true],
  ['http://localhost', '/', false],
  ['http://localhost?a=1', '/?a=1', false],
  ['*', '/*', false],
  ['1http://localhost/plants', '/', true],
  ['xhttp://localhost/plants', '/plants', true],
  ['httpx://localhost/plants', '/plants', true],
  ['http://user@localhost/plants', '/plants', true],
  ['http:///plants', '/plants', true],
  ['x://token', '/', true],
  ['plants', '/', true],
  ['', '/', true],
])('takes %j for the path %s; invalid: %s', (target, url, invalidTarget) => {
  expect(normalize(target)).toStrictEqual({ url, invalidTarget });
});
