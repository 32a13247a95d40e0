import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { expectStored } from '../support/expect-stored.js';
import { composePlantRequest, postPlant } from '../support/post-plant.js';
import { readPlants } from '../support/read-plants.js';
import { openConnection, sendRaw } from '../support/send-raw.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const body = '{"id":1,"name":"Monstera"}';

const otherHost = { HOST: 'other.example' };

/** Composes a request, valid except for these headers. */
function compose(headers: Readonly<Record<string, string | undefined>>, content = body): string {
  return composePlantRequest(service, content, headers).toString();
}

describe('malformed HTTP', () => {
  afterEach(async () => expect(await readPlants(service)).toEqual([]));

  it.each<[string, () => string | Buffer, RegExp]>([
    ['not HTTP at all', () => 'hello\r\n\r\n', /HPE_INVALID_METHOD/],
    ['TLS', () => Buffer.from('160301020001000001fc0303', 'hex'), /HPE_INVALID_METHOD/],
    ['HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /HPE_/],
    ['an unknown method', () => compose({}).replace('POST', 'PLANT'), /HPE_INVALID_METHOD/],
    ['an unknown version', () => compose({}).replace('HTTP/1.1', 'HTTP/1.7'), /HPE_INVALID_VERSION/],
    ['HTTP/0.9 with headers', () => compose({}).replace('HTTP/1.1', 'HTTP/0.9'), /HTTP\/1\.1 or HTTP\/1\.0/],
    ['HTTP/2.0 in text', () => compose({}).replace('HTTP/1.1', 'HTTP/2.0'), /HTTP\/1\.1 or HTTP\/1\.0/],
    [
      'a target with a letter beyond ASCII',
      () => compose({}).replace('/plants', '/plänts'),
      /HPE_INVALID_URL/,
    ],
    ['a space in a header name', () => compose({ 'X Plant': '1' }), /HPE_INVALID_HEADER_TOKEN/],
    ['a NUL in a header', () => compose({ 'X-Plant': 'a\0b' }), /HPE_INVALID_HEADER_TOKEN/],
    ['a folded header', () => compose({ 'X-Plant': 'a\r\n b' }), /HPE_/],
    ['a length that is not a number', () => compose({ 'Content-Length': 'x' }), /HPE_INVALID_CONTENT_LENGTH/],
    ['a negative length', () => compose({ 'Content-Length': '-1' }), /HPE_INVALID_CONTENT_LENGTH/],
    ['two lengths', () => compose({ 'content-length': '5' }), /HPE_UNEXPECTED_CONTENT_LENGTH/],
    [
      'a length and chunks',
      () => compose({ 'Transfer-Encoding': 'chunked' }),
      /HPE_INVALID_TRANSFER_ENCODING/,
    ],
    ['a chunk without a size', () => composeChunked(`zz\r\n${body}`), /HPE_INVALID_CHUNK_SIZE/],
    [
      'a chunk larger than its size',
      () => composeChunked(`1\r\n${body}\r\n0\r\n\r\n`),
      /HPE_STRICT|HPE_INVALID/,
    ],
    [
      'a header that is too large',
      () => compose({ 'X-Plant': 'x'.repeat(20_000) }),
      /its headers are too large/,
    ],
    ['too many headers', () => compose(headersOf(2_000)), /its headers are too large/],
    [
      'a path that is too long',
      () => compose({}).replace('/plants', `/${'x'.repeat(20_000)}`),
      /headers are too large/,
    ],
  ])('is rejected, and the connection closed: %s', async (_, request, message) => {
    const connection = await openConnection(service.baseUrl);
    connection.write(request());
    const reply = await connection.readReply();
    expectError(reply, 'bad_request', message);
    expect(reply.headers['connection']).toBe('close');
    expect(await connection.readToEnd()).toBe('');
  });

  it('is rejected when the client stops sending within the body', async () => {
    const connection = await openConnection(service.baseUrl);
    connection.write(compose({ 'Content-Length': '1000' }));
    connection.end();
    expectError(await connection.readReply(), 'bad_request', 'The request is not valid HTTP');
  });

  it.each<[string, () => string]>([
    ['more header lines than allowed', () => composeLong(1_997)],
    ['a second Host after the limit', () => composeLong(1_996, otherHost)],
    ['a second Host far after the limit', () => composeLong(3_000, otherHost)],
  ])('is rejected: %s', async (_, request) => {
    const reply = await sendRaw(service.baseUrl, request());
    // The parser's own limit differs between releases of Node.js.
    expectError(reply, 'bad_request', /^The request is not valid HTTP: .*(2000 header lines|too many)\.$/);
  });

  it.each(['gzip, chunked', 'identity,Chunked'])('is rejected: the transfer coding %s', async (coding) => {
    const request = composeChunked(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    const reply = await sendRaw(service.baseUrl, request.replace('chunked', coding));
    expectError(reply, 'bad_request', 'The request has a transfer coding other than chunked.');
  });

  it.each([
    ['no Host header', () => compose({ Host: undefined })],
    ['two Host headers far apart', () => composeLong(1_995, otherHost)],
    ['two Host headers', () => compose(otherHost)],
    ['two Host headers of HTTP/1.0', () => compose(otherHost).replace('HTTP/1.1', 'HTTP/1.0')],
  ])('is rejected: %s', async (_, request) => {
    const reply = await sendRaw(service.baseUrl, request());
    expectError(reply, 'bad_request', 'The request must have one Host header, as HTTP/1.1 requires.');
  });
});

describe('unusual but valid HTTP', () => {
  it.each<[string, () => string]>([
    ['HTTP/1.0 without a Host header', () => compose({ Host: undefined }).replace('HTTP/1.1', 'HTTP/1.0')],
    ['an unknown expectation', () => compose({ Expect: 'foo' })],
    ['an offer to upgrade', () => compose({ Connection: 'Upgrade', Upgrade: 'h2c' })],
    ['empty lines before the request', () => `\r\n\r\n${compose({})}`],
    ['as many header lines as allowed', () => composeLong(1_996)],
    ['header names in capitals', () => compose({}).replace('Content-Type', 'CONTENT-TYPE')],
    ['extensions of chunks, and trailers', () => composeChunked(`1a;x=y\r\n${body}\r\n0\r\nX-T: 1\r\n\r\n`)],
  ])('is answered: %s', async (_, request) => {
    const row = { id: '1', name: 'Monstera', tag: null };
    await expectStored(service, sendRaw(service.baseUrl, request()), row);
  });

  it('is answered: the body after 100 Continue', async () => {
    const connection = await openConnection(service.baseUrl);
    const [head = ''] = compose({ Expect: '100-continue' }).split(body);
    connection.write(head);
    expect(await connection.readReply()).toMatchObject({ status: 100 });
    connection.write(body);
    await expectStored(service, connection.readReply(), { id: '1', name: 'Monstera', tag: null });
    connection.destroy();
  });

  it('is answered in order: pipelined requests that expect 100 Continue', async () => {
    const connection = await openConnection(service.baseUrl);
    const expecting = { Expect: '100-continue' };
    const read = `GET /openapi.json HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`;
    const [head = ''] = compose(expecting).split(body);
    connection.write([compose({}), read, head].join(''));
    expect(await connection.readReply()).toMatchObject({ status: 200, body: { name: 'Monstera' } });
    expect(await connection.readReply()).toMatchObject({ status: 100 });
    expect(await connection.readReply()).toMatchObject({ status: 200, body: { openapi: '3.1.1' } });
    expect(await connection.readReply()).toMatchObject({ status: 100 });
    connection.write(body);
    expect(await connection.readReply()).toMatchObject({ status: 200, body: { name: 'Monstera' } });
    connection.destroy();
  });

  it('is answered in order: pipelined requests', async () => {
    const connection = await openConnection(service.baseUrl);
    const names = ['a', 'b', 'c', 'd'];
    connection.write(names.map((name, i) => compose({}, `{"id":${10 + i},"name":"${name}"}`)).join(''));
    for (const name of names)
      expect(await connection.readReply()).toMatchObject({ status: 200, body: { name } });
    connection.destroy();
  });
});

it('still stores a plant', async () => {
  await expectStored(service, postPlant(service, { id: 2, name: 'Fern' }), {
    id: '2',
    name: 'Fern',
    tag: null,
  });
});

function composeChunked(chunks: string): string {
  return compose({ 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' }, chunks);
}

/** Composes a valid request, with short header lines before its own four. */
function composeLong(lines: number, headers: Readonly<Record<string, string>> = {}): string {
  return compose(headers).replace('Host:', `${'a:\r\n'.repeat(lines)}Host:`);
}

function headersOf(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, 'some text']));
}
