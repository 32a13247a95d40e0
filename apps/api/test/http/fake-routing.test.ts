import { generateAccessToken } from '../../src/auth/access-token-format.js';
import {
  type Case,
  ofType,
  testFakeConformance,
  type Variation,
  validBody,
  withToken,
} from '../support/fake-conformance.js';

const targets: Case[] = [
  ['the root', 'not_found', { path: '/' }],
  ['another path', 'not_found', { path: '/plant' }],
  ['a path below', 'not_found', { path: '/plants/1/2/3' }],
  ['a trailing slash', 'not_found', { path: '/plants/' }],
  ['two slashes', 'not_found', { path: '//plants' }],
  ['the path in upper case', 'not_found', { path: '/PLANTS' }],
  ['the path in percent encoding', 'not_found', { path: '/%70lants' }],
  ['a path with invalid percent encoding', 'not_found', { path: '/%zz' }],
  ['a path that is not ASCII', 'not_found', { path: '/plänts' }],
  ['a path too long to be quoted in full', 'not_found', { path: `/${'x'.repeat(300)}` }],
  ['dots in the path', 200, { path: '/shop/../plants', body: validBody }],
  ['an empty query', 200, { path: '/plants?&', body: validBody }],
  ['a query of a create', 'bad_request', { path: '/plants?id=7', body: validBody }],
  ['a query of a list that it does not have', 'bad_request', { method: 'GET', path: '/plants?ids=1,31' }],
  ['another path with a query', 'not_found', { path: '/plant?id=7' }],
  [
    'another path by GET, without a token',
    'not_found',
    { path: '/plant', method: 'GET', ...withToken(() => undefined) },
  ],
  ['GET without a token', 'missing_token', { method: 'GET', ...withToken(() => undefined) }],
  ['HEAD to another path', 'not_found', { method: 'HEAD', path: '/plant' }],
  ['PUT', 'method_not_allowed', { method: 'PUT', body: validBody }],
  ['PATCH', 'method_not_allowed', { method: 'PATCH', body: validBody }],
  ['DELETE', 'method_not_allowed', { method: 'DELETE' }],
  ['an id in percent encoding', 'bad_request', { method: 'GET', path: '/plants/%31' }],
  ['an id in percent encoding to delete', 'bad_request', { method: 'DELETE', path: '/plants/%37' }],
  ['an id with invalid percent encoding', 'bad_request', { method: 'GET', path: '/plants/%zz' }],
  ['a list with a text that is not UTF-8', 'bad_request', { method: 'GET', path: '/plants?q=%FF' }],
  ['a list with a lone percent sign', 'bad_request', { method: 'GET', path: '/plants?tag=%' }],
  ['a list by two tags', 'bad_request', { method: 'GET', path: '/plants?tag=a&tag=b' }],
  [
    'a list by too long a part of the name',
    'bad_request',
    { method: 'GET', path: `/plants?q=${'a'.repeat(101)}` },
  ],
  ['a list after many dots', 'bad_request', { method: 'GET', path: `/plants?after=${'.'.repeat(100)}` }],
  ['a list by the longest tag', 200, { method: 'GET', path: `/plants?tag=${'%C3%A9'.repeat(1_000)}` }],
  [
    'a list with another parameter that is not UTF-8',
    'bad_request',
    { method: 'GET', path: '/plants?tag=nosuch&x=%FF' },
  ],
  ['the method in lower case', 200, { method: 'post', body: validBody }],
];

const tokens: Case[] = [
  ['no Authorization header', 'missing_token', withToken(() => undefined)],
  ['an empty one', 'missing_token', withToken(() => '')],
  ['the scheme alone', 'missing_token', withToken(() => 'Bearer')],
  ['the scheme and spaces', 'missing_token', withToken(() => 'Bearer   ')],
  ['another scheme', 'missing_token', withToken(() => 'Basic dXNlcjpwYXNzd29yZA==')],
  ['the token without a scheme', 'missing_token', withToken((token) => token)],
  ['the scheme run into the token', 'missing_token', withToken((token) => `Bearer${token}`)],
  [
    'a token only in the query',
    'missing_token',
    { path: '/plants?access_token=pst_0', ...withToken(() => undefined) },
  ],
  ['a token of another form', 'invalid_token', withToken(() => 'Bearer secret')],
  ['a truncated token', 'invalid_token', withToken((token) => `Bearer ${token.slice(0, -1)}`)],
  ['a token with one letter too many', 'invalid_token', withToken((token) => `Bearer ${token}0`)],
  ['a token in quotes', 'invalid_token', withToken((token) => `Bearer "${token}"`)],
  ['two tokens', 'invalid_token', withToken((token) => `Bearer ${token} ${token}`)],
  ['a token that was never issued', 'invalid_token', withToken(() => `Bearer ${generateAccessToken()}`)],
  ['the scheme in lower case', 200, { ...withToken((token) => `bearer ${token}`), body: validBody }],
  ['the scheme in upper case', 200, { ...withToken((token) => `BEARER ${token}`), body: validBody }],
  ['several spaces', 200, { ...withToken((token) => `Bearer   ${token}`), body: validBody }],
];

const named = (id: string): Variation => ({ headers: { 'X-Request-Id': id }, body: validBody });
const requestIds: Case[] = [
  ...['a', 'req_1.a:b-C', 'x'.repeat(64), '5f0c954e-1a41-4c8e-9d8c-3f0f4d2f9d55', 'pst_', 'pst_-'].map(
    (id): Case => [`${id}, kept`, 200, named(id)],
  ),
  ...['', 'x'.repeat(65), 'a b', 'a/b', 'a,b', 'café', '<script>', 'pst_0', 'a:pst_abc'].map(
    (id): Case => [`"${id}", replaced`, 200, named(id)],
  ),
  ['of a rejected request', 'not_found', { ...named('rejected'), path: '/plant' }],
];

const noToken = withToken(() => undefined);
const tooLarge = '{"id":"1",'.padEnd(1024 * 1024 + 1);
const orders: Case[] = [
  ['path before method', 'not_found', { path: '/plant', method: 'PUT', body: '' }],
  ['method before token', 'method_not_allowed', { method: 'PUT', body: '', ...noToken }],
  ['token before content type', 'missing_token', { ...ofType('text/plain'), ...noToken }],
  ['content type before size', 'unsupported_content_type', { ...ofType('text/plain'), body: tooLarge }],
  ['size before JSON', 'body_too_large', { body: tooLarge }],
  ['JSON before shape', 'malformed_json', { body: '{"id":"1",' }],
  ['shape before taken id', 'invalid_plant', { after: '{"id":50,"name":"n"}', body: '{"id":50,"name":7}' }],
];

testFakeConformance(
  { target: targets, token: tokens, 'X-Request-Id': requestIds, 'order of errors': orders },
  2,
);
