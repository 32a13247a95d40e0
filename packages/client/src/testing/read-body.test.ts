import { expect, it } from 'vitest';
import { readJsonBody } from './read-body.js';

const json = { 'content-type': 'application/json' };
const shape = { members: [{ name: 'id', shape: {} }] };

function read(body: string | Uint8Array, headers: Readonly<Record<string, string>> = json): unknown {
  return readJsonBody(
    new Headers(headers),
    typeof body === 'string' ? new TextEncoder().encode(body) : body,
    shape,
  );
}

it('reads JSON with every integer exact', () => {
  expect(read('{"id":9223372036854775807}')).toEqual({ id: 9_223_372_036_854_775_807n });
});

it.each([
  'application/json',
  'Application/JSON',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  String.raw`application/json; charset="ut\f-8"`,
  'application/json; version=1',
  'application/json; note="a; charset=latin1',
])('accepts the content type %s', (type) => {
  expect(read('{}', { 'content-type': type })).toEqual({});
});

it.each([
  'text/plain',
  'application/jsonp',
  'application/json; charset=latin1',
  'application/json; charset=""',
])('rejects the content type %s', (type) => {
  expect(() => read('{}', { 'content-type': type })).toThrow(
    expect.objectContaining({ errorName: 'unsupported_content_type' }),
  );
});

it('rejects a body without a content type, and one that is compressed', () => {
  expect(() => read('{}', {})).toThrow(expect.objectContaining({ errorName: 'unsupported_content_type' }));
  expect(() => read('{}', { ...json, 'content-encoding': 'gzip' })).toThrow(/gzip/);
  expect(read('{}', { ...json, 'content-encoding': 'Identity' })).toEqual({});
});

it('rejects a body of more than a mebibyte before it parses it', () => {
  expect(read(`"${'a'.repeat(2 ** 20 - 2)}"`)).toHaveLength(2 ** 20 - 2);
  expect(() => read('x'.repeat(2 ** 20 + 1))).toThrow(
    expect.objectContaining({ errorName: 'body_too_large' }),
  );
});

it.each([
  ['', 'it is empty'],
  ['\uFEFF{}', 'it starts with a byte order mark'],
  [Uint8Array.of(0x22, 0xff, 0x22), 'it is not in UTF-8'],
  ['{', /./],
])('rejects what is not JSON: %j', (body, problem) => {
  expect(() => read(body)).toThrow(expect.objectContaining({ errorName: 'malformed_json' }));
  expect(() => read(body)).toThrow(problem);
});
