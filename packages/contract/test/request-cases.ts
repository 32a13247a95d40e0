import { accessTokenChecksum } from '../src/access-token.js';
import { messages } from '../src/messages.js';
import { type Case, each, int64, malformed, missingToken, ok, rejected, unauthorized } from './exchange.js';

const valid = '{"id":1,"name":"Monstera"}';
const replayed = ok('{"name":"Monstera"}', { 'idempotent-replayed': 'true' });
const line = 'POST /plants';
type Body = NonNullable<Case[1]['body']>;
const post = (body: Body, headers?: Case[1]['headers']): Case[1] =>
  headers ? { line, body, headers } : { line, body };
const stored: Case = ['a plant', post(valid), ok('{"name":"Monstera"}')];
/** Requests that differ in their body, and requests for a plant that is stored that differ in a header. */
const posts = (...bodies: readonly Body[]) => bodies.map((body) => post(body));
const withHeader = (name: string, ...values: readonly (string | undefined)[]) =>
  values.map((value) => post(valid, { [name]: value }));
const authorized = (...values: readonly (string | undefined)[]) => withHeader('Authorization', ...values);

const notPaths = [
  '/',
  '/plant',
  '/plants/1/2/3',
  '/plants/',
  '//plants',
  '/PLANTS',
  '/%70lants',
  '/%zz',
  '/pl%C3%A4nts',
  `/${'x'.repeat(300)}`,
];
const notFound = (path: string) => rejected('not_found', messages.notFound(path));
const notAllowed = (method: string, path = '/plants', allow = ['POST', 'GET', 'HEAD']) =>
  rejected('method_not_allowed', messages.methodNotAllowed(method, path, allow), { allow: allow.join(', ') });
const challenge = { 'www-authenticate': 'Bearer realm="plant-store", error="invalid_token"' };
const invalidToken = (message: string) => rejected('invalid_token', message, challenge);
const secret = `pst_${'0'.repeat(43)}`;
const neverIssued = `${secret}${accessTokenChecksum(secret)}`;
const malformedTokens = ['secret', neverIssued.slice(0, -1), 'TOKEN0', '"TOKEN"', 'TOKEN TOKEN'];
const noTokens = [undefined, '', 'Bearer', 'Bearer   ', 'Basic dXNlcjpwYXNzd29yZA==', 'TOKEN', 'BearerTOKEN'];

const keeping = (id: string) => ({ ...replayed, headers: { ...replayed.headers, 'x-request-id': id } });
const keptIds = ['a', 'req_1.a:b-C', 'x'.repeat(64), '5f0c954e-1a41-4c8e-9d8c-3f0f4d2f9d55', 'pst_', 'pst_-'];
const replacedIds = ['', 'x'.repeat(65), 'a b', 'a/b', 'a,b', 'café', '<script>', 'pst_0', 'a:pst_abc'];

const unsupported = (message: string) => rejected('unsupported_content_type', message);
const ofType = (type: string) => unsupported(messages.unsupportedContentType(type));
const invalid = (issues: string) => rejected('invalid_plant', `The plant is not valid: ${issues}.`);
/** Plants with members that are known twice, or not known. */
const taken = [
  '{"id":1,"name":"n","name":"n","id":1.0}',
  '{"id":3,"name":"n","constructor":1,"toString":null}',
  '{"x":1,"id":2,"x":{"y":1,"y":2},"name":"n","x":[]}',
];
const tooLarge = rejected('body_too_large', messages.bodyTooLarge(2 ** 20));
const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

const untyped = { 'Content-Type': undefined };
const unsupportedTypes = [
  '',
  'text/plain',
  'text/json',
  'application/x-www-form-urlencoded',
  'application/problem+json',
  'application/jsonp',
  'application /json',
  'application/json x',
  'application/json, text/plain',
  'text/plain; application/json',
  'application/café',
  `text/${'x'.repeat(300)}`,
  ...['utf-16', '"utf-16"', 'utf8', '', 'iso-8859-1; charset=utf-8'].map(
    (charset) => `application/json; charset=${charset}`,
  ),
  'application/json; x="a;b"; CHARSET=latin1',
];
const supportedTypes = [
  'APPLICATION/JSON',
  'application/json;',
  'application/json;charset=UTF-8',
  'application/json ; charset = utf-8',
  'application/json; version; charset',
  ...['utf-8', '"ut\\f-8"', 'utf-8; charset=latin1', '"utf-16'].map(
    (charset) => `application/json; Charset=${charset}`,
  ),
  'application/json; x="; charset=latin1"; charset=utf-8',
  'application/json; x="; charset=utf-16',
];

/** How requests are read whatever operation they are for, by topic: each begins with an empty plant store. */
export const requestCases: Readonly<Record<string, readonly Case[]>> = {
  'the target': [
    stored,
    ...notPaths.flatMap((path) => each(notFound(path), { ...post(valid), line: `POST ${path}` })),
    ['a query, which the message omits', { ...post(valid), line: 'POST /plant?id=7' }, notFound('/plant')],
    ['dots in the path', { ...post(valid), line: 'POST /shop/../plants' }, replayed],
    ['an empty query', { ...post(valid), line: 'POST /plants?&' }, replayed],
    ['another path without a token', { line: 'GET /plant', headers: unauthorized }, notFound('/plant')],
    ['HEAD to another path', { line: 'HEAD /plant' }, { ...notFound('/plant'), body: '' }],
    ...['PUT', 'PATCH', 'DELETE'].flatMap((method) =>
      each(notAllowed(method), { line: `${method} /plants` }),
    ),
    ...each(notAllowed('POST', '/plants/1', ['GET', 'HEAD', 'PUT', 'DELETE']), { line: 'POST /plants/1' }),
    ...['get', 'delete'].flatMap((what) =>
      each(notAllowed('GET', `/plants/batch/${what}`, ['POST']), { line: `GET /plants/batch/${what}` }),
    ),
    ['POST in lower case', { ...post(valid), line: 'post /plants' }, replayed],
  ],

  'the access token': [
    stored,
    ...each(missingToken, { ...post(valid, unauthorized), line: `${line}?access_token=pst_0` }),
    ...each(missingToken, ...authorized(...noTokens)),
    ...each(
      invalidToken(messages.malformedToken),
      ...authorized(...malformedTokens.map((token) => `Bearer ${token}`)),
    ),
    ...each(invalidToken(messages.unknownToken), ...authorized(`Bearer ${neverIssued}`)),
    ...each(replayed, ...authorized('bearer TOKEN', 'BEARER TOKEN', 'Bearer   TOKEN')),
  ],

  'X-Request-Id': [
    stored,
    ...keptIds.flatMap((id) => each(keeping(id), ...withHeader('X-Request-Id', id))),
    ...each(replayed, ...withHeader('X-Request-Id', ...replacedIds)),
    [
      'of a rejected request',
      { line: 'GET /plant', headers: { 'X-Request-Id': 'a' } },
      rejected('not_found', messages.notFound('/plant'), { 'x-request-id': 'a' }),
    ],
  ],

  'the content': [
    stored,
    ['no content type', post(bytes(valid), untyped), unsupported(messages.missingContentType)],
    ['the type that fetch sets for a string', post(valid, untyped), ofType('text/plain;charset=UTF-8')],
    ...unsupportedTypes.flatMap((type) => each(ofType(type), ...withHeader('Content-Type', type))),
    ...each(replayed, ...withHeader('Content-Type', ...supportedTypes)),
    ...['gzip', 'GZIP', 'br', 'identity, gzip', 'x'.repeat(300)].flatMap((coding) =>
      each(unsupported(messages.unsupportedContentCoding(coding)), ...withHeader('Content-Encoding', coding)),
    ),
    ...each(replayed, ...withHeader('Content-Encoding', 'identity', 'Identity')),
    ['the largest body', post(valid.padEnd(2 ** 20)), replayed],
    ['a body larger than that', post(valid.padEnd(2 ** 20 + 1)), tooLarge],
  ],

  JSON: [
    ...each(malformed('it is empty'), { line }, post('')),
    ['a byte order mark', post(`\uFEFF${valid}`), malformed('it starts with a byte order mark')],
    ...each(
      malformed('it is not in UTF-8'),
      ...posts(...['{"id":1,"name":"\xe9"}', '"\xed\xa0\x80"'].map(bytes)),
    ),
    // Of each kind of problem one; exact-json/parse.test.ts has more.
    ...Object.entries({
      ' \r\n\t ': 'Expected a value but reached end of input at position 5',
      '{"id":1,"name":"n\n"}': 'Bare control character in a string at position 17',
      '{"id":1,"name":"\\x41"}': 'Unknown escape in a string at position 16',
      '{"id":1,🪴}': "Expected a name in double quotes but got '🪴' at position 8",
      '{"id":1,"id":2,"name":"n"}': "Duplicate member 'id' with a different value at position 8",
      '{"id":1,"name":"n","\\u005f_proto__":null}': "Forbidden member '__proto__' at position 19",
      '{"id":1,"name":"n","x":[1,{"y":01}]}': "Expected ',' or '}' but got '1' at position 32",
      [`{"x":${'['.repeat(500)}${']'.repeat(500)}}`]: 'Nested too deeply at position 504',
    }).flatMap(([body, problem]) => each(malformed(problem), ...posts(body))),
    ...each(ok('{"name":"n"}'), ...posts(...taken)),
    ...each(
      invalid(`id ${int64}; name must be a string`),
      ...posts('{"id":[1],"name":{"a":1}}', '{"id":{},"name":{"a":1},"name":{"a":2}}'),
    ),
  ],

  'several errors': [
    stored,
    ['path before method', { line: 'PUT /plant', headers: unauthorized }, notFound('/plant')],
    ['method before token', { line: 'PUT /plants', headers: unauthorized }, notAllowed('PUT')],
    ['token before content type', post('', { ...unauthorized, 'Content-Type': 'text/plain' }), missingToken],
    [
      'content type before content coding and size',
      post(''.padEnd(2 ** 20 + 1), { 'Content-Type': 'a', 'Content-Encoding': 'b' }),
      ofType('a'),
    ],
    ['size before JSON', post('{"id":"1",'.padEnd(2 ** 20 + 1)), tooLarge],
    [
      'JSON before shape',
      post('{"id":"1",'),
      malformed('Expected a name in double quotes but reached end of input at position 10'),
    ],
    ['shape before a taken id', post('{"id":1,"name":7}'), invalid('name must be a string')],
  ],
};
