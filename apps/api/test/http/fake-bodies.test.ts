import { gzipSync } from 'node:zlib';
import {
  type Case,
  ofType,
  testFakeConformance,
  type Variation,
  validBody,
} from '../support/fake-conformance.js';

const ofCoding = (coding: string): Variation => ({
  headers: { 'Content-Encoding': coding },
  body: validBody,
});
const contents: Case[] = [
  ['no content type', 'unsupported_content_type', { ...ofType(undefined), body: Buffer.from(validBody) }],
  ['the content type that fetch sets for a string', 'unsupported_content_type', ofType(undefined)],
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
  ['gzip', 'unsupported_content_type', { ...ofCoding('gzip'), body: gzipSync(validBody) }],
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
  ['the largest body', 200, { body: validBody.padEnd(1024 * 1024) }],
  ['a body larger than that', 'body_too_large', { body: validBody.padEnd(1024 * 1024 + 1) }],
];

const json: Case[] = [
  ['no body', 'malformed_json', {}],
  ['an empty body', 'malformed_json', { body: '' }],
  ['whitespace', 'malformed_json', { body: ' \r\n\t ' }],
  ['truncated JSON', 'malformed_json', { body: '{"id":1,"name":"n"' }],
  ['more than one value', 'malformed_json', { body: `${validBody}}` }],
  ['a trailing comma', 'malformed_json', { body: '{"id":1,"name":"n",}' }],
  ['a leading zero', 'malformed_json', { body: '{"id":01,"name":"n"}' }],
  ['NaN', 'malformed_json', { body: '{"id":NaN,"name":"n"}' }],
  ['an unescaped line feed in a string', 'malformed_json', { body: '{"id":1,"name":"n\n"}' }],
  ['an unknown escape', 'malformed_json', { body: '{"id":1,"name":"\\x41"}' }],
  ['an emoji out of place', 'malformed_json', { body: '{"id":1,🪴}' }],
  [
    'a byte that is not UTF-8',
    'malformed_json',
    { body: Buffer.from(validBody.replace('o', '\xe9'), 'latin1') },
  ],
  ['a surrogate in UTF-8', 'malformed_json', { body: Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]) }],
  ['a byte order mark', 'malformed_json', { body: `\uFEFF${validBody}` }],
  ['a duplicate member', 'malformed_json', { body: '{"id":1,"id":2,"name":"n"}' }],
  [
    'a duplicate member with a long name',
    'malformed_json',
    { body: `{"id":1,"n\\u0061me":"${'🪴'.repeat(150)}","name":""}` },
  ],
  ['__proto__', 'malformed_json', { body: '{"id":1,"name":"n","__proto__":{}}' }],
  ['__proto__ escaped', 'malformed_json', { body: '{"id":1,"name":"n","\\u005f_proto__":null}' }],
  ['deep nesting', 'malformed_json', { body: '['.repeat(10_000) }],
  ['a duplicate member with the same value', 200, { body: '{"id":10,"name":"n","name":"n","id":10.0}' }],
  [
    'ignored members with different values',
    200,
    { body: '{"x":1,"id":12,"x":{"y":1,"y":2},"name":"n","x":[]}' },
  ],
  ['an ignored member that is no JSON', 'malformed_json', { body: '{"id":1,"name":"n","x":[1,{"y":01}]}' }],
  ['__proto__ in an ignored member', 'malformed_json', { body: '{"id":1,"name":"n","x":[{"__proto__":1}]}' }],
  [
    'too deep an ignored member',
    'malformed_json',
    { body: `{"id":1,"name":"n","x":${'['.repeat(500)}${']'.repeat(500)}}` },
  ],
  ['objects and arrays as fields', 'invalid_plant', { body: '{"id":[1],"name":{"a":1},"tag":[["b"]]}' }],
  ['fields twice as objects', 'invalid_plant', { body: '{"id":1,"name":{"a":1},"name":{"a":2}}' }],
  ['a field as an array and as an object', 'malformed_json', { body: '{"id":1,"name":[],"name":{}}' }],
  [
    'members named like those of objects',
    200,
    { body: '{"id":11,"name":"n","constructor":1,"toString":null}' },
  ],
];

const ofBatch = (body: string): Variation => ({ path: '/plants/batch', body });
const batches: Case[] = [
  ['an item that is an array', 200, ofBatch('{"plants":[[{"id":1}],[]]}')],
  ['ignored members twice', 200, ofBatch('{"x":1,"plants":[{"id":13,"name":"n","x":1,"x":2}],"x":2}')],
  ['a member of a plant twice', 'malformed_json', ofBatch('{"plants":[{"id":1,"id":2}]}')],
  ['plants twice', 200, ofBatch('{"plants":[{"id":14,"name":"n"}],"plants":[{"id":14,"name":"n"}]}')],
  ['other plants twice', 'malformed_json', ofBatch('{"plants":[{"id":1}],"plants":[{"id":2}]}')],
  ['no list', 'invalid_plant', ofBatch('{"plants":{"length":[1]}}')],
  ['no plant', 'invalid_plant', ofBatch('{"plants":[]}')],
  ['too many plants', 'batch_too_large', ofBatch(`{"plants":[${'[],'.repeat(340_000)}[]]}`)],
  [
    'too many plants, of which one has a member twice',
    'batch_too_large',
    ofBatch(`{"plants":[${'0,'.repeat(1_000)}{"id":1,"id":2}]}`),
  ],
  [
    'too many plants, of which one is no JSON',
    'malformed_json',
    ofBatch(`{"plants":[${'0,'.repeat(1_000)}01]}`),
  ],
];

testFakeConformance({ content: contents, JSON: json, batch: batches }, 3);
