import { gzipSync } from 'node:zlib';
import { createFakePlantStore, type FakePlantStore } from '@plant-store/client/testing';
import { type ErrorName, errors } from '@plant-store/contract/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateAccessToken } from '../../src/auth/access-token-format.js';
import { readPlants } from '../support/read-plants.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
let fake: FakePlantStore;
beforeAll(async () => {
  service = await startTestService();
  fake = createFakePlantStore({ baseUrl: service.baseUrl, token: service.token });
});
afterAll(() => service.stop());

/** A request to create a plant, as far as it differs from a valid one; `undefined` leaves a header out. */
interface Variation {
  readonly path?: string;
  readonly method?: string;
  readonly authorization?: (token: string) => string | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Uint8Array;
  /** The body of a valid request before this one. */
  readonly after?: string;
}

/** What the request is, what both answer, and the request. */
type Case = [name: string, expected: 200 | ErrorName, variation: Variation];

const valid = '{"id":1,"name":"Monstera"}';
const ofType = (type: string | undefined): Variation => ({ headers: { 'Content-Type': type }, body: valid });
const ofCoding = (coding: string): Variation => ({ headers: { 'Content-Encoding': coding }, body: valid });
const named = (id: string): Variation => ({ headers: { 'X-Request-Id': id }, body: valid });
const withToken = (authorization: (token: string) => string | undefined): Variation => ({ authorization });

const targets: Case[] = [
  ['the root', 'not_found', { path: '/' }],
  ['another path', 'not_found', { path: '/plant' }],
  ['a path below', 'not_found', { path: '/plants/1' }],
  ['a slash at the end', 'not_found', { path: '/plants/' }],
  ['two slashes', 'not_found', { path: '//plants' }],
  ['the path in capitals', 'not_found', { path: '/PLANTS' }],
  ['the path in percent encoding', 'not_found', { path: '/%70lants' }],
  ['a path that is no percent encoding', 'not_found', { path: '/%zz' }],
  ['a path beyond ASCII', 'not_found', { path: '/plänts' }],
  ['a path longer than a message should be', 'not_found', { path: `/${'x'.repeat(300)}` }],
  ['dots in the path', 200, { path: '/shop/../plants', body: valid }],
  ['a query', 200, { path: '/plants?id=7', body: valid }],
  ['another path with a query', 'not_found', { path: '/plant?id=7' }],
  [
    'another path by GET, without a token',
    'not_found',
    { path: '/plant', method: 'GET', ...withToken(() => undefined) },
  ],
  ['GET', 'method_not_allowed', { method: 'GET' }],
  ['GET with a query', 'method_not_allowed', { method: 'GET', path: '/plants?id=7' }],
  ['GET without a token', 'method_not_allowed', { method: 'GET', ...withToken(() => undefined) }],
  ['HEAD', 'method_not_allowed', { method: 'HEAD' }],
  ['HEAD to another path', 'not_found', { method: 'HEAD', path: '/plant' }],
  ['PUT', 'method_not_allowed', { method: 'PUT', body: valid }],
  ['PATCH', 'method_not_allowed', { method: 'PATCH', body: valid }],
  ['DELETE', 'method_not_allowed', { method: 'DELETE' }],
  ['the method in small letters', 200, { method: 'post', body: valid }],
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
    'a token in the query alone',
    'missing_token',
    { path: '/plants?access_token=pst_0', ...withToken(() => undefined) },
  ],
  ['a token of another form', 'invalid_token', withToken(() => 'Bearer secret')],
  ['a token cut short', 'invalid_token', withToken((token) => `Bearer ${token.slice(0, -1)}`)],
  ['a token with a letter too many', 'invalid_token', withToken((token) => `Bearer ${token}0`)],
  ['a token in quotes', 'invalid_token', withToken((token) => `Bearer "${token}"`)],
  ['two tokens', 'invalid_token', withToken((token) => `Bearer ${token} ${token}`)],
  ['a token that nobody has issued', 'invalid_token', withToken(() => `Bearer ${generateAccessToken()}`)],
  ['the scheme in small letters', 200, { ...withToken((token) => `bearer ${token}`), body: valid }],
  ['the scheme in capitals', 200, { ...withToken((token) => `BEARER ${token}`), body: valid }],
  ['several spaces', 200, { ...withToken((token) => `Bearer   ${token}`), body: valid }],
];

const contents: Case[] = [
  ['no content type', 'unsupported_content_type', { ...ofType(undefined), body: Buffer.from(valid) }],
  ['the content type that fetch gives a text', 'unsupported_content_type', ofType(undefined)],
  ['a long content type', 'unsupported_content_type', ofType(`text/${'x'.repeat(300)}`)],
  ...[
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
    'application/json; charset=utf-16',
    'application/json; charset="utf-16"',
    'application/json; charset=utf8',
    'application/json; charset=',
    'application/json; charset=iso-8859-1; charset=utf-8',
    'application/json; x="a;b"; CHARSET=latin1',
  ].map((type): Case => [`the content type "${type}"`, 'unsupported_content_type', ofType(type)]),
  ...[
    'APPLICATION/JSON',
    'application/json;',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; Charset="Utf-8"',
    'application/json; charset="ut\\f-8"',
    'application/json ; charset = utf-8',
    'application/json; charset=utf-8; charset=latin1',
    'application/json; x="; charset=latin1"; charset=utf-8',
    'application/json; version; charset',
    'application/json; charset="utf-16',
    'application/json; x="; charset=utf-16',
  ].map((type): Case => [`the content type ${type}`, 200, ofType(type)]),
  ['gzip', 'unsupported_content_type', { ...ofCoding('gzip'), body: gzipSync(valid) }],
  ...['GZIP', 'br', 'identity, gzip', 'x'.repeat(300)].map(
    (coding): Case => [`the content coding ${coding}`, 'unsupported_content_type', ofCoding(coding)],
  ),
  [
    'a content type before a content coding',
    'unsupported_content_type',
    { headers: { 'Content-Type': 'a', 'Content-Encoding': 'b' } },
  ],
  ['the content coding identity', 200, ofCoding('identity')],
  ['the content coding Identity', 200, ofCoding('Identity')],
  ['the largest body', 200, { body: valid.padEnd(1024 * 1024) }],
  ['a body larger than that', 'body_too_large', { body: valid.padEnd(1024 * 1024 + 1) }],
];

const json: Case[] = [
  ['no body', 'malformed_json', {}],
  ['an empty body', 'malformed_json', { body: '' }],
  ['white space', 'malformed_json', { body: ' \r\n\t ' }],
  ['a text cut short', 'malformed_json', { body: '{"id":1,"name":"n"' }],
  ['more than one value', 'malformed_json', { body: `${valid}}` }],
  ['a trailing comma', 'malformed_json', { body: '{"id":1,"name":"n",}' }],
  ['a leading zero', 'malformed_json', { body: '{"id":01,"name":"n"}' }],
  ['NaN', 'malformed_json', { body: '{"id":NaN,"name":"n"}' }],
  ['a bare line feed in a string', 'malformed_json', { body: '{"id":1,"name":"n\n"}' }],
  ['an unknown escape', 'malformed_json', { body: '{"id":1,"name":"\\x41"}' }],
  ['an emoji out of place', 'malformed_json', { body: '{"id":1,🪴}' }],
  ['a byte that is not UTF-8', 'malformed_json', { body: Buffer.from(valid.replace('o', '\xe9'), 'latin1') }],
  ['a surrogate in UTF-8', 'malformed_json', { body: Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]) }],
  ['a byte order mark', 'malformed_json', { body: `\uFEFF${valid}` }],
  ['a duplicate member', 'malformed_json', { body: '{"id":1,"id":2,"name":"n"}' }],
  [
    'a duplicate member of a long name',
    'malformed_json',
    { body: `{"${'🪴'.repeat(150)}":1,"${'🪴'.repeat(150)}":2}` },
  ],
  ['__proto__', 'malformed_json', { body: '{"id":1,"name":"n","__proto__":{}}' }],
  ['__proto__ escaped', 'malformed_json', { body: '{"id":1,"name":"n","\\u005f_proto__":null}' }],
  ['deep nesting', 'malformed_json', { body: '['.repeat(10_000) }],
  ['a duplicate member of the same value', 200, { body: '{"id":10,"name":"n","name":"n","id":10.0}' }],
  ['members that objects have', 200, { body: '{"id":11,"name":"n","constructor":1,"toString":null}' }],
];

const shapes: Case[] = [
  ...['null', '[]', '"x"', '7', 'true'].map((body): Case => [`${body}`, 'invalid_plant', { body }]),
  ['an empty object', 'invalid_plant', { body: '{}' }],
  ['no id', 'invalid_plant', { body: '{"name":"n"}' }],
  ['no name', 'invalid_plant', { body: '{"id":1}' }],
  ['a fault in every field', 'invalid_plant', { body: '{"id":"1","name":null,"tag":7}' }],
  ...[
    '"1"',
    '1.5',
    '1e-1',
    '9223372036854775808',
    '-9223372036854775809',
    '1e19',
    '1e400',
    'null',
    'true',
    '{}',
  ].map((id): Case => [`the id ${id}`, 'invalid_plant', { body: `{"id":${id},"name":"n"}` }]),
  ...[
    'null',
    '7',
    '9223372036854775807',
    '[]',
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\ud83e"',
    '"\\udeb4\\ud83e"',
    '"\\u0000\\ud83e"',
  ].flatMap((text): Case[] => [
    [`the name ${text}`, 'invalid_plant', { body: `{"id":1,"name":${text}}` }],
    [`the tag ${text}`, 'invalid_plant', { body: `{"id":1,"name":"n","tag":${text}}` }],
  ]),
  ...[
    '9223372036854775807',
    '-9223372036854775808',
    '9007199254740993',
    '0',
    '-0',
    '-1',
    '20.0',
    '1e2',
    '9.223372036854775806e18',
  ].map((id): Case => [`the id ${id}`, 200, { body: `{"id":${id},"name":"n"}` }]),
  ['empty texts', 200, { body: '{"id":30,"name":"","tag":""}' }],
  [
    'texts that are kept to the letter',
    200,
    { body: '{"id":31,"tag":"\\u2028\\ud83e\\udeb4","name":" e\\u0301\\t\\"/\\u007f "}' },
  ],
  ['fields beyond the shape', 200, { body: '{"id":32,"name":"n","height":1e400,"error":1}' }],
];

const repetitions: Case[] = [
  [
    'the same plant',
    200,
    { after: '{"id":40,"name":"n","tag":"t"}', body: '{"tag":"t","name":"n","id":4e1}' },
  ],
  ['the same plant without a tag', 200, { after: '{"id":41,"name":"n"}', body: '{"id":41,"name":"n"}' }],
  ['another name', 'id_taken', { after: '{"id":42,"name":"n"}', body: '{"id":42,"name":"N"}' }],
  [
    'another tag',
    'id_taken',
    { after: '{"id":43,"name":"n","tag":"t"}', body: '{"id":43,"name":"n","tag":"T"}' },
  ],
  [
    'a tag where there was none',
    'id_taken',
    { after: '{"id":44,"name":"n"}', body: '{"id":44,"name":"n","tag":""}' },
  ],
  [
    'no tag where there was one',
    'id_taken',
    { after: '{"id":45,"name":"n","tag":""}', body: '{"id":45,"name":"n"}' },
  ],
  [
    'another form of the same text',
    'id_taken',
    { after: '{"id":46,"name":"é"}', body: '{"id":46,"name":"e\\u0301"}' },
  ],
  [
    'the largest id',
    'id_taken',
    { after: '{"id":9223372036854775805,"name":"n"}', body: '{"id":9223372036854775805,"name":"m"}' },
  ],
  [
    'its neighbour',
    200,
    { after: '{"id":9223372036854775804,"name":"n"}', body: '{"id":9223372036854775803,"name":"m"}' },
  ],
];

const requestIds: Case[] = [
  ...['a', 'req_1.a:b-C', 'x'.repeat(64), '5f0c954e-1a41-4c8e-9d8c-3f0f4d2f9d55', 'pst_', 'pst_-'].map(
    (id): Case => [`${id}, taken over`, 200, named(id)],
  ),
  ...['', 'x'.repeat(65), 'a b', 'a/b', 'a,b', 'café', '<script>', 'pst_0', 'a:pst_abc'].map(
    (id): Case => [`"${id}", replaced`, 200, named(id)],
  ),
  ['of a refused request', 'not_found', { ...named('refused'), path: '/plant' }],
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

/** Sends a request by a `fetch`, and reads of the reply what both have to agree on. */
async function send(
  fetch: FakePlantStore['fetch'],
  {
    path = '/plants',
    method = 'POST',
    authorization = (token) => `Bearer ${token}`,
    headers,
    body,
  }: Variation,
) {
  const given = {
    'Content-Type': 'application/json',
    Authorization: authorization(service.token),
    ...headers,
  };
  const sent = Object.entries(given).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  const reply = await fetch(service.baseUrl + path, { method, headers: sent, body: body ?? null });
  const requestId = reply.headers.get('x-request-id');
  return {
    status: reply.status,
    body: await reply.text(),
    contentType: reply.headers.get('content-type'),
    challenge: reply.headers.get('www-authenticate'),
    allow: reply.headers.get('allow'),
    replayed: reply.headers.get('idempotent-replayed'),
    requestId:
      requestId !== headers?.['X-Request-Id'] && uuid.test(requestId ?? '') ? 'a new one' : requestId,
  };
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe.each([
  ['target', targets],
  ['token', tokens],
  ['content', contents],
  ['JSON', json],
  ['shape', shapes],
  ['repetition', repetitions],
  ['X-Request-Id', requestIds],
  ['order of faults', orders],
])('the fake plant store answers as the service does, by %s', (_, cases) => {
  it.each(cases)('%s: %s', async (_, expected, { after, ...variation }) => {
    if (after !== undefined) {
      expect(await send(fake.fetch, { body: after })).toEqual(await send(fetch, { body: after }));
    }
    const reply = await send(fetch, variation);
    expect(await send(fake.fetch, variation)).toEqual(reply);
    expect(reply.status).toBe(expected === 200 ? 200 : errors[expected].status);
    if (expected !== 200 && variation.method !== 'HEAD') {
      expect(JSON.parse(reply.body)).toMatchObject({ error: errors[expected].error });
    }
  });
});

it('has stored the same plants in the end', async () => {
  const plants = [...fake.plants].map(([id, { name, tag = null }]) => ({ id: String(id), name, tag }));
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  expect(plants.sort(byId)).toEqual([...(await readPlants(service))].sort(byId));
  expect(plants.length).toBeGreaterThan(20);
});
